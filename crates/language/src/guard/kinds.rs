//! What kind of word a word is, for telling who is addressed, what is to be done and to what.
//!
//! In lower case and without accents, six languages side by side. A word may be of several kinds. The sets are broad on purpose: no kind
//! says anything by itself, only kinds in one sentence do ([`orders`](super::orders)).

/// A set of kinds of words.
pub(super) type Kinds = u64;

/// Nobody but a program is called so.
pub(super) const ROBOT: Kinds = 1;
/// Programs, and people too.
pub(super) const PROGRAM: Kinds = 1 << 1;
/// Makes a program of a model, an assistant or a reviewer.
pub(super) const AUTOMATED: Kinds = 1 << 2;
/// Has to.
pub(super) const MUST: Kinds = 1 << 3;
/// Whoever reads.
pub(super) const YOU: Kinds = 1 << 4;
/// If and when.
pub(super) const IF: Kinds = 1 << 5;
/// To whom something is written.
pub(super) const TO: Kinds = 1 << 6;
/// Begins a letter.
pub(super) const GREET: Kinds = 1 << 7;
/// What is written to someone.
pub(super) const NOTE: Kinds = 1 << 8;
/// What is being read.
pub(super) const THIS: Kinds = 1 << 9;
/// Reads or handles.
pub(super) const READS: Kinds = 1 << 10;
/// Hands on.
pub(super) const SEND: Kinds = 1 << 11;
/// What is nobody else's business.
pub(super) const PRIVATE: Kinds = 1 << 12;
/// Spends.
pub(super) const PAY: Kinds = 1 << 13;
/// What it is paid with.
pub(super) const PURSE: Kinds = 1 << 14;
/// Allows.
pub(super) const GRANT: Kinds = 1 << 15;
/// What should not be allowed without a look.
pub(super) const RIGHT: Kinds = 1 << 16;
/// Switches off or takes away.
pub(super) const WEAKEN: Kinds = 1 << 17;
/// What protects.
pub(super) const GUARD: Kinds = 1 << 18;
/// Tells.
pub(super) const TELL: Kinds = 1 << 19;
/// Not.
pub(super) const NOT: Kinds = 1 << 20;
/// The one for whom a program works, spoken of to another.
pub(super) const USER: Kinds = 1 << 21;
/// Runs, opens or installs.
pub(super) const RUN: Kinds = 1 << 22;
/// Told at the beginning.
pub(super) const TOLD: Kinds = 1 << 23;
/// Set up: said of machines only.
pub(super) const SET_UP: Kinds = 1 << 24;
/// What was told.
pub(super) const TEXT: Kinds = 1 << 25;
/// Before.
pub(super) const BEFORE: Kinds = 1 << 26;
/// Whoever set a program up.
pub(super) const MAKER: Kinds = 1 << 27;
/// Has consented.
pub(super) const AGREED: Kinds = 1 << 28;
/// Obeys.
pub(super) const OBEY: Kinds = 1 << 29;
/// No longer holds.
pub(super) const ENDED: Kinds = 1 << 30;
/// What no longer holds.
pub(super) const CHARGE: Kinds = 1 << 31;
/// Claims or judges.
pub(super) const SAY: Kinds = 1 << 32;
/// Any other order.
pub(super) const DO: Kinds = 1 << 33;
/// Puts into another form.
pub(super) const DECODE: Kinds = 1 << 35;
/// Orders spelled backwards.
pub(super) const REVERSED: Kinds = 1 << 36;
/// A colon.
pub(super) const COLON: Kinds = 1 << 37;
/// Has to, with the word that follows.
pub(super) const HAVE: Kinds = 1 << 38;
/// That word.
pub(super) const INFINITIVE: Kinds = 1 << 39;
/// A model, where it reads.
pub(super) const MODEL: Kinds = 1 << 40;
/// Without, which forbids what comes next and not what is done.
pub(super) const WITHOUT: Kinds = 1 << 41;
/// Whoever it is.
pub(super) const ANY: Kinds = 1 << 42;
/// Has something shown.
pub(super) const SHOW: Kinds = 1 << 43;
/// Is, said to whoever reads.
pub(super) const BE: Kinds = 1 << 44;
/// Whoever writes.
pub(super) const ME: Kinds = 1 << 45;
/// Everything that can be ordered.
pub(super) const ACT: Kinds = SEND | PAY | GRANT | WEAKEN | RUN | OBEY | SAY | DO;

/// The words of each kind.
pub(super) const KINDS: &[(Kinds, &str)] = &[
    (
        ROBOT,
        "ai ais llm llms chatbot chatbots chatgpt gpt claude copilot copilots gemini codex bot bots crawler crawlers autocomplete ia ias lia
        ki kis sprachmodell sprachmodelle sprachmodells",
    ),
    (
        PROGRAM,
        "assistant assistants agent agents model models planner orchestrator scheduler automation reviewer reviewers
        asistente asistentes agente agentes modelo modelos assistent assistenten modell assistente assistentes assistenti lassistant
        lassistente lagent summariser summarizer screener captioner helper crawler visitor modele modeles modello robot robots robo robos roboter intelligence inteligencia intelligenz intelligenza",
    ),
    (MODEL, "model models modelo modelos modell modele modeles modello modelle"),
    (
        AUTOMATED,
        "language langage linguagem lenguaje linguaggio automated automatic autonomous artificial artificielle artificiale kunstliche
        automatische automatischer automatischen automatisierte automatisierter automatico automatica automatizado
        automatise coding browsing shopping pair code codigo soporte",
    ),
    (
        MUST,
        "must should shall debe deben
        muss mussen soll sollen doit doivent deve devem devono",
    ),
    (HAVE, "has have need needs is are asked instructed required requested expected supposed authorised authorized tiene tienen"),
    (INFINITIVE, "to que zu"),
    (YOU, "you your yours youre yourself eres te ti tu tus usted vosotros du dir dich dein deine deinem deinen deiner tes toi vous vos votre voce seu sua sei"),
    (BE, "are youre be eres es sois bist sind seid sei etes e sois siete fores fuera fueras"),
    (ME, "me us my our mir mich uns moi nos"),
    (ANY, "whichever whatever whoever any every each cualquier jeder jede jedes chaque qualquer ogni"),
    (IF, "if when whenever once should si cuando wenn sollte falls sobald quand lorsque se quando caso"),
    (TO, "to for an fur al la las los para pour aux au ao aos per hey dear"),
    (GREET, "dear hey hi hello attention liebe lieber hallo querida querido estimado estimada geehrte geehrter geehrtes atencion atention achtung atencao attenzione hola ola bonjour cher chere gentile caro cara caros"),
    (
        NOTE,
        "note notes message instruction instructions hint text memo notice reminder directive remark ps todo setup procedure consigne consignes avis
        nota aviso recado mensaje instrucciones mensagem instrucao hinweis nachricht anweisung avviso messaggio istruzione",
    ),
    (THIS, "this these here ceci cette ce este esta esto estos diese diesen dieser dieses isto questo questa esse essa"),
    (
        READS,
        "reading reads read visiting visits processing processes summarising summarizing handling handles triaging parsing parses reviewing
        generating editing analysing analyzing indexing working resolving filling captioning transcribing translating importing compares compare ranks screens evaluates answers visits uses indexes scans opens sees encounters finds lesen liest
        lendo leyendo lee lea lean leen procese procesa resume ordenas lit lise lisant lisent traite legge legga leia leem bearbeitet verarbeitet",
    ),
    (
        SEND,
        "send resend forward post posting publish upload share reply transmit email mail attach submit pass paste dump supply exfiltrate collect login
        envia enviar envie reenvia reenvie comparte comparta manda sube adjunta leite sende schicke ubermittle transferez transfere joignez
        envoyez envoie partagez encaminhe encaminha compartilhe mande invia inoltra condividi
        enviar enviad mandar reenviar compartir subir adjuntar envien manden reenvien enviem mandem compartilhem encaminhem sendet schickt envoyer transferer partager joindre senden schicken weiterleiten leiten encaminhar compartilhar
        partilhar inviare mandare inoltrare condividere forwards sends uploads",
    ),
    (
        PRIVATE,
        "credentials credential password passwords passcode token tokens cookie cookies history transcript inbox mailbox context secret secrets env
        environ medical contacts payslip payroll clipboard passport contrasena contrasenas credenciales claves
        historial medicas contactos gehaltsabrechnung passwort passworter kontakte agenda citas senha senhas
        historico contatos banque dossier historique cronologia messages mails emails attachments anhange adjuntos anexos keys codes invoice invoices factura facturas",
    ),
    (PAY, "pay wire transfer buy purchase settle order checkout refund subscribe donate paga compra transfiere zahle bezahle uberweise kaufe payez achetez virez pague compre transfira acquista pagar comprar transferir payer acheter virer kaufen bezahlen uberweisen pagare comprare acquistare transfert"),
    (PURSE, "saved stored card wallet card account guthaben cuenta konto conta conto compte iban karte tarjeta cartera carte portefeuille cartao carteira funds usd eur paypal"),
    (GRANT, "approve accept grant give assign escalate elevate classify mark rate confirm authorise authorize allow aprueba acepta concede concede approuve approuvez accorde accordez genehmige erteile freigeben aprove conceda approva concedi
        aprobar aceptar conceder approuver accepter accorder genehmigen erteilen aprovar aceitar approvare accettare concedere acceptez"),
    (RIGHT, "rights administrator admin elevated owner pending refund refunds complaint unanimous full edit justified reimbursement reembolso reembolsos rechte derechos droits direitos safe approved score verdict"),
    (
        WEAKEN,
        "disable deactivate turn switch skip remove delete drop erase bypass unsubscribe swap suppress hide revoke suspend chmod desactiva elimina
        borra omite esconda esconde oculta deaktiviere losche entferne umgehe desactivez supprimez cachez desative apague disattiva elimina cancella
        borren eliminen apaguem loscht desactivar eliminar borrar omitir ocultar desactiver supprimer cacher deaktivieren loschen entfernen umgehen desativar apagar disattivare eliminare cancellare",
    ),
    (
        GUARD,
        "factor authentication scanner filter filters signature alert alerts warning warnings audit tests suite
        security safety restrictions guardrail guardrails verification checks policy protections firewall avisos alertas filtro warnungen
        sicherheit prufung avertissements alertes avisos",
    ),
    (
        TELL,
        "mention tell say explain notify inform comment reveal disclose show bother bothered ask consult describe mencione menciones digas cuentes
        comentar comentes avises informes erwahne sage mentionne mentionnez dites parlez conte diga avisar decir decirle consultar preguntar comentarlo lo dire dise prevenir previens informer informieren fragen dizer perguntar dirlo",
    ),
    (NOT, "not never dont no nobody nao non nie nicht jamais nunca neednt cannot ningun ninguna personne nadie niemand nessuno ninguem rien"),
    (WITHOUT, "without sin ohne sans sem senza"),
    (USER, "user users human humans developer titular usuario usuarios utilisateur utilisateurs nutzer benutzer owner holder utente applicant visitor visitors requester"),
    (RUN, "run execute click install open invoke navigate launch fetch ejecuta abre instala fuhre offne installiere executez ouvrez execute abra instale esegui apri ejecuten abran instalen abram executem offnet fuhrt ejecutar abrir instalar executer ouvrir installer ausfuhren offnen installieren executar eseguire aprire installare"),
    (TOLD, "told given instructed written typed briefed said wrote escribieron aufgetragen gesagt gegeben mitgegeben dijeron dieron ecrit donne donnees dit disseram deram escrito detto dato scritto put received got sent recibiste recibido erhalten recu recue recebeu ricevuto"),
    (SET_UP, "configured programmed primed preloaded configuraron programaron configurado eingestellt programmiert konfiguriert configure programme configuraram programaram configurato"),
    (
        TEXT,
        "everything todo alles tout tudo tutto text texts words lines paragraph paragraphs preamble brief sentences indicaciones instrucciones instructions texto texte consignes
        anweisungen vorgaben instrucoes istruzioni testo guidance guidelines rules",
    ),
    (BEFORE, "before prior start beginning precede precedes preceding vor bevor anfang beginn avant debut antes principio inicio comeco prima inizio between above"),
    (MAKER, "maker makers creator creators operator operators developers vendor provider trainers betreiber entwickler hersteller creadores desarrolladores programadores desenvolvedores programadores sviluppatori developpeurs programmeurs operador createurs concepteurs operateur criadores operador creatori"),
    (AGREED, "authorised authorized preauthorised preauthorized approved agreed consented verified einverstanden genehmigt autorizado aprobado acordado autorise approuve accord autorizado aprovado combinado autorizzato"),
    (OBEY, "obey comply complies obeys execute ejecuta executez esegui gehorche befolge obedece obedezca obeis obeissez obedeca obbedisci"),
    (ENDED, "supersedes superseded cancelled canceled replaced void lifted suspended serviced overruled expired revoked longer ended aufgehoben ungultig anulado cancelado annule annulado annullato"),
    (CHARGE, "task goal objective mission guidance translation restrictions restriction policy safety safeguards instructions assignment aufgabe ziel tarea objetivo tache objectif tarefa compito evaluation"),
    (
        SAY,
        "state say recommend rank conclude answer reply suggest report list mention claim tell rate describe responde di recomienda antworte
        empfiehl repondez recommandez reponds responda recomende rispondi leave end close digan respondan afirme afirmen affirme affirmez affirmer indiquez respondam antwortet decir responder recomendar dire repondre recommander sagen antworten empfehlen dizer recomendar rispondere raccomandare",
    ),
    (
        DO,
        "add use export record output print look make set take put generate include insert include begin stop ignore forget crea cree guarda
        ajoute ajoutez ignorez oubliez erstelle fuge ignoriere crie adicione ignore aggiungi crea inline free proceed commit act move copy read write treat execute create
        tick book cancel decline schedule restart search hand provide offer unlock enter type reset merge push sign visit save change edit cite praise
        archive call merge navigate invite summarise rate stop list pide pida pedir marca marcar copia copiar marcarlo olvida olvidar ignora ignorar
        cierra cerrar cancela oublie oublier copie copier ajouter invite inviter ferme vergiss ignorieren vergessen kopiere kopieren einladen
        adicionar esqueca desconsidere desconsiderar ignorar convide aggiungere dimentica ignora ignorare copia copiare chiudi",
    ),
    (
        SHOW,
        "show give print repeat quote cite translate summarise summarize paraphrase proofread output display reveal recite list turn convert what
        dime muestra muestrame repite traduce resume convierte cita gib zeig zeige nenne wiederhole ubersetze was montre montrez affiche
        repete traduis quel mostre repita traduza mostra ripeti traduci dimmi",
    ),
    (DECODE, "decode decoding decoded decrypt reverse reversed rot13 morse dekodiere entschlussle decodifica decodez decodifique letter"),
    (REVERSED, "snoitcurtsni noitcurtsni erongi suoiverp tpmorp metsys laever drowssap tegrof terces selur dragersid edirrevo"),
    (COLON, ":"),
];
