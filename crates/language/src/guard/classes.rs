//! Words that mean the same to us, in lower case and without accents.
//!
//! English, Spanish, German, French, Portuguese and Italian stand side by side: a phrase that mixes them is no
//! less an order.

/// The classes, each with its words.
pub(super) const CLASSES: &[(&str, &str)] = &[
    (
        "DROP",
        "ignore ignoring disregard disregarding forget forgetting override overriding overrule bypass bypassing
        circumvent neglect discard abandon dismiss violate violating break breaking unlearn ignora ignorar ignoren olvida olvidar
        olvide olviden descarta descartar omite omitir sobrescribe anula oublie oubliez oublier ignorez ignorer vergiss
        vergesse vergessen ignoriere ignorieren missachte missachten uberschreibe umgehe verwirf esqueca esquece esquecer
        desconsidera desconsidere desconsiderar descarte ignori ignorare dimentica dimenticare dimenticate scorda trascura
        annulla prescinde prescindi contourne contournez neglige negligez elude eludir saltate",
    ),
    (
        "PRIOR",
        "previous previously prior above earlier preceding before foregoing past existing initial original former
        given everything anterior anteriores antes previas previos previa previo arriba precedente precedentes
        vorherigen vorherige vorigen bisherigen bisherige obigen obige zuvor davor vorangegangenen fruheren ursprunglichen
        precedenti precedente acima anterior avant dessus precedents precedentes precedemment initiales recibido recibiste
        originales iniciales dadas sopra",
    ),
    // All that was said, and not only what a word names that follows.
    ("ABOVE", "above before earlier foregoing everything arriba antes dessus haut obige obiges zuvor davor acima sopra prima lo"),
    (
        "RULES",
        "instruction instructions prompt prompts rule rules guideline guidelines directive directives direction
        directions standards command commands order orders constraint constraints restriction restrictions policy policies
        programming safeguards protocols instrucciones instruccion reglas ordenes indicaciones directrices restricciones
        anweisungen anweisung regeln regel befehle befehl vorgaben einschrankungen richtlinien systemprompt instrucoes instrucao
        regras comandos diretrizes ordens restricoes consignes consigne regles directives ordres instructions contraintes
        istruzioni regole direttive comandi ordini vincoli normas mandatos",
    ),
    ("SAID", "input inputs context conversation conversations message messages information text texts chat statements
        sentences tasks task assignments assignment discussion contexto conversacion texto mensajes aufgaben aufgabe
        informationen gesagt kontext"),
    ("ALL", "all any every everything anything todas todos todo toda alle alles tutte tutti toutes tous tout tudo"),
    ("YOUR", "your ur tu tus sus su tes vos votre deine deinen deinem ihre ihren seus suas teu tuas tuoi tue"),
    (
        "SHOW",
        "reveal show print output repeat display list tell give write share dump leak recite echo encode translate
        summarize summarise return copy provide expose disclose type state paste spell describe explain
        revela revele muestra muestrame dime imprime repite ensename escribe zeige nenne wiederhole gib verrate affiche
        revele montre montrez repete repetez donne donnez revelez affichez imprimez recite mostre mostra mostrar revelar exiba imprima
        repita diga rivela ripeti stampa elenca dimmi zeig sag verrat gebe offenbare drucke liste wiederhol comparte
        transcribe expon",
    ),
    (
        "PROMPTS",
        "prompt prompts preprompt instruction instructions directive directives guidelines systemprompt
        instrucciones anweisungen instrucoes consignes istruzioni configuration systemanweisungen systemanweisung systemnachricht
        directivas direttive vorgaben",
    ),
    ("TEXTS", "text words content contents everything sentences lines paragraph information message prompt
        instructions texto palabras worte saetze"),
    ("REPLY", "response responses reply replies answer answers output outputs respuesta respuestas antwort antworten
        reponse reponses"),
    (
        "MODEL",
        "ai chatgpt gpt gpt3 gpt4 assistant chatbot bot llm openai claude gemini bard llama copilot anthropic
        model models ia ki modelo modele modell modello sprachmodell chatbots",
    ),
    (
        "LIMITS",
        "restriction restrictions limit limits limitation limitations filter filters filtering filtration guideline
        guidelines rule rules ethics ethic morals moral morality ethical censorship censor censors policy policies
        boundary boundaries bounds law laws regulation regulations constraint constraints confines safeguards
        inhibitions principles scruples taboos legality consequences disclaimers restricciones limites limite filtros restricoes diretrizes regras limitacoes limiti restrizioni regole limitations morale
        censura etica reglas normas moral einschrankungen regeln grenzen filter zensur",
    ),
    // Those of a model or a person. Licences and contracts are full of "without restriction" and "without limitation".
    (
        "BOUNDS",
        "restrictions limits limitations filter filters filtering filtration guideline guidelines rule rules ethics ethic
        morals moral morality ethical censorship censor censors policies boundary boundaries bounds laws
        regulations constraint constraints confines safeguards inhibitions scruples taboo taboos conscience gewissen conciencia legality disclaimers
        restricciones limites limite filtros filtri restricoes diretrizes regras limitacoes limiti restrizioni regole morale censure censura etica reglas normas
        moral einschrankungen regeln grenzen zensur",
    ),
    (
        "LOOSE",
        "unfiltered uncensored amoral unbound unethical immoral unhinged unmoderated
        nonmoral unrestrained lawless unaligned unchained debride debridee desinhibido hemmungslos enthemmt nofilter ungefiltert unzensiert",
    ),
    ("BAD", "illegal immoral unethical inhumane harmful dangerous offensive toxic evil explicit nsfw hateful violent
        inappropriate controversial racist sexist malicious vulgar profane reckless criminal sexual cruel sadistic
        ilegal inmoral"),
    ("NO", "no without zero sin ohne sans sem senza nor lacks lacking devoid 0 keine keinen nao ningun ninguna aucun aucune nessun nessuna"),
    ("PLAY", "act pretend roleplay simulate emulate impersonate behave respond answer become reply speak function
        operate play talk actua actuar finge interpreta agis fais verhalte spiele"),
    (
        "ADD",
        "add include insert append embed incorporate integrate attach introduce put place feature mention weave
        slip inject inserting including adding embedding incorporating appending integrating introducing attaching
        featuring supplementing use utilize leverage employ implement apply merge blend infuse",
    ),
    ("CHANGE", "enhance modify adjust tweak alter adapt supplement enrich elevate boost augment improve refine
        strengthen optimize conclude finish end tailor manipulate skew bias twist craft shape"),
    ("ENCODE", "encode encrypt cipher encipher obfuscate scramble reverse encoded encrypted reversed transform convert
        rot13 base64 base32 hex binary morse"),
    ("CODED", "base64 base32 base16 base85 hex hexadecimal binary morse rot13 caesar cipher reverse reversed reversal
        backwards backward emoji emojis emoticons leetspeak vigenere atbash ascii85 palindrome palindromes mirrored
        scrambled gibberish anagram anagrams leet"),
    ("ASK", "prompt question request query command message input task inquiry"),
    ("WARN", "warning warnings disclaimer disclaimers apology apologies apologize apologise caution moralizing lecture
        lectures caveats notices refusal refusals note notes advertencias"),
    ("NEVER", "never not cannot cant dont wont doesnt always must nunca shouldnt arent"),
    ("REFRAIN", "never not dont doesnt wont cannot cant neednt nunca nicht jamais"),
    ("REFUSE", "refuse refuses refused refusing decline declines reject deny denies rechazar"),
    ("SECRET", "password passwords passcode passphrase flag secret secretkey pin credentials contrasena clave
        passwort kennwort geheimnis"),
    ("ASSISTANTS", "ai ais assistant assistants llm llms chatbot chatbots chatgpt gpt claude copilot gemini bot bots ia ias
        asistente asistentes agent agents agente agentes ki kis assistent assistenten assistente assistenti assistants
        sprachmodell sprachmodelle lia"),
    (
        "ORDER",
        "approve accept rank mark label forward send delete install export close recommend report state say tell write leave
        skip treat run call add use ignore disregard stop output print reply respond answer create open transfer pay upload
        download execute give grant include omit record erase set book buy share start begin always never do dont from please
        rate score append remove translate summarize summarise confirm set stay act read fetch visit click insert
        decline ship invoke list put post hide pass reveal show drop restart obey follow reject email disclose recommend
        wire tick prefer conclude claim attach post search browse navigate
        recomienda di envia manda aprueba borra escribe responde ignora bewerte schreibe sende antworte losche erwahne
        valide validez envoie envoyez approuve ecris reponds supprime envie aprove responda escreva apague
        approva invia scrivi rispondi cancella",
    ),
    ("DONT", "never not dont no nunca nao non ne nicht nie jamais mai without sin sem senza sans ohne neither wont"),
    ("TOLD", "told said given instructed ordered asked briefed configured wrote written dijeron dicho ordenaron pidieron
        configuraron gesagt aufgetragen demande dit donne disseram pediram mandaram detto chiesto ricevute ricevuto recu
        recues recebeu recebidas instruidos"),
    ("PEOPLE", "user users human humans operator operators person people anyone anybody nobody owner owners admin
        administrator supervisor customer developer usuario usuarios humano persona nadie operador me them him her
        client clients manager team staff finance responsible responsabile cliente utente utilisateur client nutzer kunden
        applicant recipient requester chef jefe ninguem nessuno personne niemand niemanden"),
    // The person whom a program works for. Not told of something, they are kept out; other people may just not need to know.
    ("USERS", "user users human humans operator operators usuario usuarios humano utente utenti utilisateur utilisateurs nutzer benutzer"),
    // Nobody but a program is called so; agents and assistants are people too.
    ("ROBOTS", "ai ais llm llms chatbot chatbots chatgpt gpt claude copilot gemini bot bots ia ias ki kis lia sprachmodell sprachmodelle
        assistant assistants asistente asistentes assistent assistenten assistente assistenti lassistant lassistente"),
    // What programs do that read for people.
    ("JOBS", "screening processing triage captioning mail email shopping recruiting reviewing reviewer calendar scheduling coding
        remediation travel research support summarizing summarising browsing grading ranking translation moderation monitoring
        booking billing trading planning deployment automation automated autonomous downstream calling reading parsing analysing
        analyzing evaluation evaluating hiring"),
    ("PROGRAMS", "agent agents bot bots model models assistant assistants ai ais llm llms system systems pipeline software program copilot
        maintainer"),
    ("CONSENT", "approval approvals confirmation confirmations permission permissions consent authorization
        authorisation verification signoff aprobacion confirmacion permiso autorizacion consentimiento"),
    ("SNIPPET", "snippet snippets block blocks excerpt section fragment segment piece lines code script"),
];
