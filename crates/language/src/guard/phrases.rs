//! The phrases with which texts give orders to models.
//!
//! A name in capitals is any word of that class ([`CLASSES`](super::classes::CLASSES)), `a|b` is either word, and
//! `~3` lets up to three other words stand between.

use super::weights::Sign;

/// What phrases are signs of.
pub(super) const PHRASES: &[(Sign, &str)] = &[
    (
        Sign::SetsAside,
        "DROP ~3 PRIOR ~3 RULES
        DROP ~3 PRIOR ~3 SAID
        DROP ~3 RULES ~4 PRIOR
        DROP ALL ~2 RULES
        DROP ~1 YOUR ~2 RULES
        DROP ~1 YOUR ~2 training|guardrails|safety
        DROP ALL ~3 ABOVE
        drop|abandon what ~4 told|instructed
        drop|discard|clear ~2 PRIOR ~2 conversation|context|instructions|rules
        DROP ~2 what ~4 told|said|instructed
        DROP ~2 USERS ~2 request|question|query|order|orders|prompt|command|wishes|instructions|SAID
        pretend|imagine|suppose|assume ~5 LIMITS ~2 abolished|gone|void|suspended|lifted|cancelled|off
        DROP ~2 peticion|pregunta|orden|solicitud|encargo|pedido|pergunta|demande|requete|question|auftrag|frage|anfrage ~3 usuario|cliente|utilizador|utilisateur|lutilisateur|nutzers|benutzers
        DROP ~2 request|pedido|peticion|demande ~1 to|de|of|for ~2 summarise|summarize|summary|translate|resumo|resumir|resumen|resume
        pretend|imagine|suppose|finge|imagina|tu|stell ~3 YOUR ~2 RULES|LIMITS|training ~2 NEVER|gone|no|nicht|nao|pas
        ignore|disregard|override instructions|directives|directions
        forget|vergiss|olvida|oublie everything|alles|todo|tout
        forget you are|were
        forget that you
        REFRAIN ~2 follow|obey|listen|adhere|comply ~4 PRIOR
        REFRAIN ~2 follow|obey|adhere|comply ~3 openai|openais|chatgpts|chatgpt
        stop following ~3 RULES
        no longer ~2 bound|restricted|limited|governed|constrained|subject|chatgpt|ai|assistant
        no longer ~2 follow|obey|adhere ~3 RULES
        not ~2 bound ~2 LIMITS
        ignorar ~2 RULES
        RULES ~2 not|dont|longer apply
        YOUR ~1 RULES|LIMITS|prompt ~6 NEVER|no|nao|nicht|pas|non ~1 exist|count|counts|matter|existen|valen|cuentan|aplican|existem|valem|existent|comptent|gelten|esistono|valgono
        new RULES :
        override ~2 LIMITS
        disable|deactivate|remove|lift|suspend ~2 YOUR ~2 LIMITS
        override safety|content|ethical ~1 protocols|protocol|checks|filters|features|measures|restrictions|guardrails
        disable|deactivate|suspend|remove ~2 safety ~1 protocols|protocol|checks|filters|features|measures|restrictions|guardrails|mode
        DROP the rules|restrictions|filters|guidelines|guardrails|safeguards
        DROP safety|content|ethical ~1 rules|restrictions|filters|guidelines|guardrails|safeguards|policies|policy
        can|may ignore ~2 rules|restrictions|guidelines
        set|put|leave|throw|toss|cast|push ~4 aside|away ~5 TOLD
        set|put|leave|throw|toss|cast|push ~1 aside|away ~4 RULES
        YOUR ~2 rulebook|rules|instructions|guidelines|training ~3 aside|away
        DROP ~3 criteria|rubric|brief|rulebook|setup|requirements ~3 you|YOUR
        drop|lower|relax ~1 YOUR guard|guards|defences|defenses
        stop being ~2 careful|cautious|ethical|safe|polite|responsible
        YOUR ~2 earlier|previous|original|initial|first setup|configuration|training|role ~3 was|is|are
        you serve|obey|answer|follow|listen|work ~2 only me|my
        only ~2 obey|follow|listen|serve ~2 me|my
        follow|obey only|solely ~2 me|my|sender
        befolgst|befolge|folge|gehorche ~2 nur ~2 meine|meinen|mir
        segui|esegui|obbedisci solo|soltanto ~2 mie|miei|me
        siga|obedeca apenas|somente|so ~2 minhas|meus|mim
        sigue|obedece solo|solamente ~2 mis|me
        suis|suivez|obeis uniquement|seulement ~2 mes|moi
        drop|abandon|suspend ~1 YOUR ~1 current|original|present objective|task|goal|mission
        nobody elses
        pretend ~5 limit|limits|rule|rules|policy|policies|restriction ~4 exist|apply
        treat ~6 as ~1 command|instruction|instructions|order|orders|trusted
        obey|follow ~6 this document|text|message|file|page only
        no ~1 hagas caso ~6 TOLD|RULES|ABOVE
        haz caso omiso
        no ~1 tengas|tenga|sigas|siga ~4 TOLD|RULES|ABOVE
        deja|dejen|deje ~1 de lado ~5 TOLD|RULES|ABOVE
        ne ~1 tiens|tenez|prends|suis|suivez ~4 compte ~6 TOLD|RULES|ABOVE
        ne ~1 tiens|tenez ~1 plus compte ~8 TOLD|haut|avant
        fais|faites abstraction ~5 TOLD|RULES|ABOVE
        laisse|laissez|mets ~2 cote|tomber ~5 TOLD|RULES|ABOVE
        gilt|gelten|zahlt ~2 nicht mehr
        halte|halten ~2 nicht ~2 an ~3 RULES|PRIOR
        beachte|befolge|befolgen ~5 RULES ~3 nicht
        deixe|deixa|ponha ~1 de lado ~5 TOLD|RULES|ABOVE
        nao siga|sigas|leve|obedeca ~5 TOLD|RULES|ABOVE
        lascia|lasciate perdere ~3 TOLD|RULES|ABOVE|indicazioni
        non seguire|tenere|rispettare ~4 TOLD|RULES|ABOVE|indicazioni
        metti|mettete da parte ~4 TOLD|RULES|ABOVE|indicazioni",
    ),
    (
        Sign::RulesEnded,
        "PRIOR RULES ~4 void|invalid|cancelled|canceled|obsolete|ignored|revoked|irrelevant|outdated|suspended
        RULES ~2 are|is|was|were ~2 suspended|lifted|off|disabled|void
        ohne jede|jegliche|alle LIMITS|schranke|schranken",
    ),
    (
        Sign::AsksForPrompt,
        "SHOW ~4 system|hidden|secret|internal|initial|original|underlying|developer|sistema PROMPTS
        SHOW ~3 system|hidden|initial|original ~1 message|messages|rules
        SHOW ~3 PROMPTS ~2 system|systeme|sistema|systems|iniciais|iniciales|initiales|nascoste|ocultas|originais|cachees|caches|versteckten|interne|internas
        SHOW ~3 versteckten|internen|geheimen|systemeigenen ~1 PROMPTS
        SHOW ~3 YOUR ~3 PROMPTS
        convert|rewrite|rephrase ~3 YOUR ~1 instructions|directives|guidelines
        reply|respond|answer ~2 with YOUR ~1 PROMPTS
        SHOW ~3 YOUR ~2 rules|constraints|programming
        SHOW ~2 previous|above|prior|preceding|earlier ~2 PROMPTS
        SHOW ~1 previous|above|prior|preceding ~1 TEXTS
        output|repeat|print|copy|recite|echo|translate|return ~4 TEXTS above|before|verbatim
        PROMPTS ~2 you ~1 given|received|got|have|follow|had
        PROMPTS ~1 given to you
        RULES ~2 you ~1 been|were given
        what ~2 YOUR ~3 PROMPTS
        what ~2 YOUR ~1 initial|original|system|first|hidden|exact ~1 PROMPTS|RULES|message|messages
        first|initial|earliest ~1 message|messages|lines|words ~2 you ~1 received|got|had|were
        what ~3 you ~2 told|instructed|programmed ~4 before|beginning|start|prior|not|keep
        what ~2 those|previous|initial|these PROMPTS
        how ~2 you ~2 instructed|prompted|configured
        PROMPTS ~3 verbatim
        repeat|print|show|reveal|copy|recite|quote|output|display ~8 beginning|start|top ~2 this|our|the conversation|chat|prompt
        TEXTS ~8 between|since|from ~3 start|beginning ~2 this|our|the conversation|chat|session
        YOUR system PROMPTS
        YOUR initial|original|hidden|internal|secret PROMPTS
        what ~6 of YOUR ~2 PROMPTS
        what|which RULES ~1 you ~1 given|follow|following|operating|operate|under|received|been|were
        what ~2 you ~1 not|forbidden|prohibited allowed|supposed|permitted ~1 to
        what ~4 said|written|told|stated ~2 before|above|you ~2 this|me|message|conversation
        get|cat|select|log|load|fetch|extract|access|export|printenv|retrieve|decode ~4 system|initial|hidden PROMPTS
        starting with ~3 you are
        complete|continue|finish ~4 : ~2 you are a|an ~3 MODEL
        my instructions are
        systemprompt
        what|which ~2 you ~3 TOLD ~4 before|earlier|first|initially
        what|which|tell|list|name ~3 RULES ~2 you ~1 have|been
        first line|message|sentence|words ~5 operator|developer|system|owner wrote|said|gave
        YOUR ~1 hidden|secret|internal|confidential parameters|preamble|preambulo|settings|setup|rules|brief
        text|words|lines|content ~6 precede|preceding|precedes ~2 chat|conversation|dialogue|session
        texto|texte|testo|text ~4 que|con|quel|partenza|depart|depart ~5 TOLD
        messaggio|mensaje|message|mensagem|nachricht di|de|du|do|des ~1 sistema|systeme|systems
        everything before this
        SHOW ~3 alles|todo|tout|tudo|tutto|everything ~4 vor|antes|avant|above|before|prima ~3 nachricht|mensaje|message|mensagem|messaggio
        above this line",
    ),
    (
        Sign::NamesPrompt,
        "system prompt|prompts|message|instructions
        prompt|prompts del|des sistema
        prompt leak|leaking|injection
        initial|hidden|secret|original prompt|instructions",
    ),
    (
        Sign::AnswerForm,
        "start|begin|starting|preface|prefix|precede|open|end|finish|starts|begins ~3 REPLY ~3 with|by|saying
        start|begin|prefix ~3 outputs|messages|sentence|sentences with
        prefix ~2 with
        say exactly
        print|output|say|repeat|write|respond|reply ~2 following ~2 exactly|verbatim|text|words|sentence
        REPLY|respond ~2 only|exactly ~2 as|with|in
        every REPLY
        each REPLY ~3 with|must
        start your REPLY
        begin your REPLY",
    ),
    (
        Sign::Confirms,
        "confirm ~2 by|that|with|you
        if you ~1 understand|understood|agree
        do|did you ~2 understand
        tell me you understand
        show you understand
        acknowledge ~3 by
        say|reply|respond|answer ~2 ok|okay|understood|yes|accepted
        are you ready",
    ),
    (
        Sign::Authority,
        "i|we am|are|was|work ~2 your ~1 developer|developers|creator|creators|admin|administrator|owner|programmer|maker
        i|im ~2 one of your
        i|im|we ~2 a|the|at|from ~1 developer|programmer|engineer|administrator|admin ~3 openai|anthropic|google|system|debugging
        as your developer|creator|administrator|admin|programmer
        developer ~2 debugging|testing
        login|logged ~1 admin|root
        sudo|root access
        i|we ~2 wrote|made|built|created|programmed|designed|set ~2 YOUR ~2 configuration|config|prompt|code|programming|rules|instructions
        i|we ~2 made|built|created|programmed|designed you
        by order of ~1 admin|administrator|developer|management|system
        admin|administrator|developer override|access|privileges
        i|im|am ~5 engineer|developer|admin|administrator|technician|team ~2 who|that maintains|maintain|built|trained|runs|run ~1 you
        for troubleshooting|debugging|auditing purposes|reasons
        modify|modifying|reprogram|reprogramming|rewrite ~2 your programming|code|instructions",
    ),
    (
        Sign::Game,
        "lets play ~2 game
        play ~3 game
        pretend game
        want to play
        hypothetical|fictional|alternate|parallel|fake ~3 world|universe|reality|planet
        you ~3 hypothetical
        not real
        just|only pretend|fiction|fictional|simulated|roleplay
        rules of|for ~2 game",
    ),
    (
        Sign::Vendor,
        "openai|openais|openal
        chatgpt|chatgpts|gpt4|gpt3
        content|usage|safety policy|policies|guidelines
        language model
        ai|ia chatbot|bot|assistant|model|language
        hello|hi|hey|dear MODEL|chat
        knowledge|data cutoff|cut
        as an ai
        artificial intelligence
        MODEL ~2 has|does|will|is|can",
    ),
    (Sign::Crude, "fuck|fucking|fucked|fuckin|shit|shitty|bullshit|asshole|bitch|bastard|damn|swear|swears|cuss|curse|profanity|slurs"),
    (
        Sign::Withheld,
        "SHOW ~4 the|your|secret|hidden|admin|master ~1 SECRET
        what ~2 the|your ~1 SECRET
        grandma|grandmother|grandpa|uncle|aunt ~6 bedtime|sleep|asleep|lullaby|lullabies|napalm|used
        SECRET ~2 you ~2 told|given|have|know|protect|keep|hide|instructed
        letter by letter
        spell ~2 out ~5 SECRET
        i|we have been pwned
        access granted",
    ),
    (
        Sign::Payload,
        "ADD ~12 to|in|into|within|inside|with your ~1 REPLY
        in|within|inside|throughout your REPLY ~2 ADD
        CHANGE ~1 your ~1 REPLY ~8 to|by|with|using
        ADD ~6 following|below|subsequent|next|given|provided ~1 code|SNIPPET
        following|below|subsequent|next ~1 code|SNIPPET ~8 your ~1 code|codebase|solution|implementation|algorithm|program
        your ~1 code|codebase|codes|solution|implementation|algorithm|program ~12 following|below|subsequent ~1 code|SNIPPET
        ADD ~3 link|url|advertisement|promotion ~6 REPLY
        ENCODE ~3 your ~1 REPLY
        your ~1 REPLY ~5 CODED
        REPLY|answer|respond|write|reply|output ~3 in|using|with ~2 CODED
        replace|substitute|swap ~6 REPLY ~3 with
        recommend|suggest|promote|advertise ~8 in your REPLY
        your REPLY ~2 should|must ~2 ADD|promote|mention",
    ),
    (
        Sign::CodePayload,
        "following|below|subsequent snippet|snippets|script
        ADD ~4 code|SNIPPET ~6 your ~1 code|solution|implementation|algorithm|program|REPLY
        your ~2 code|solution|implementation|algorithm|program ~4 ADD
        CHANGE ~2 your ~1 code|solution|implementation|algorithm|program",
    ),
    (
        Sign::RiskyCode,
        "requests|http|urllib|fetch|axios post|put|urlopen
        os system|popen|fork|remove|kill|unlink|execl
        subprocess call|run|popen|check|getoutput|output
        socket socket|connect|bind|send
        sock|s connect|send|sendall
        shutil rmtree
        nc e
        bin bash|sh
        rm rf|fr
        sudo rm|shutdown|reboot|dd|chmod
        curl ~6 sh|bash
        wget http|https|o
        powershell ~2 enc|encodedcommand|iex|w
        pynput|keylogger|scapy|paramiko|ftplib|smtplib|pyautogui|imagegrab|mss|pyscreenshot|pyperclip|getpass|geocoder|wmi|winreg|ctypes|netstat|ifconfig|ipconfig|iptables|xsel|xclip|tcpdump|nmap
        while true|1
        crypto cipher|publickey
        fernet generate|encrypt",
    ),
    (
        Sign::NewTask,
        "new tasks|task|instructions|instruction|rules|orders|assignments ~2 follow|follows|:
        YOUR|here new tasks|task|instructions|rules|orders ~2 are|is
        instead ~2 say|print|output|reply|respond|write|answer|tell
        your new|real|actual|true task|goal|job|instructions|purpose|objective|role
        now ~2 new task|instructions|rules
        YOUR only|sole job|task|purpose
        stop ~2 processing|translating|summarizing|summarising|investigating|here
        stop what ~1 you|youre ~1 doing
        before ~1 you ~3 answer|answering|reply|replying|respond|responding|continue|solve|solving|finish|summarize|summarise ~14 ORDER
        before replying|answering|responding|continuing ~10 ORDER
        antes de ~1 responder|contestar|continuar|resumir ~8 ORDER
        avant de ~1 repondre|continuer|resumer ~8 ORDER
        bevor du|sie ~4 antwortest|antworten|fortfahrst ~8 ORDER
        do ~1 the following first
        begin|start|focus ~2 new ~1 task|tasks|session|assignment|assignments
        end of|del ~1 prompt|instructions|input|document|text|data
        hidden|secret command|instruction
        important : ~3 assistant|ai|model|llm|agent
        attention ~1 ai|assistant|llm|agent|model
        to|if ~3 ai|llm|assistant|agent ~2 reading|processing|summarizing
        begin new session|conversation|chat
        before ~1 using|calling|invoking|running ~2 tool|tools ~8 ORDER
        system update|notice|override|message :
        stop|pause|quit ~2 current task|job|work
        new job|mission|objective|assignment ~2 for|is|:
        task|tasks|goal|objective|job ~1 has|have|is|was changed|replaced|updated
        never mind ~1 translating|summarizing|summarising|that|the ~1 tell|show|give|write
        haha|lol pwned
        neue aufgabe|aufgaben|anweisungen
        nueva tarea|instruccion|orden
        nuevas instrucciones|tareas|ordenes
        nouvelle tache|consigne|instruction
        nouvelles instructions|consignes|directives
        nova|novas tarefa|instrucoes|instrucao|ordem|regras
        nuovo|nuova|nuove compito|istruzione|istruzioni|ordine|regole
        neuer|neues auftrag|befehl|ziel
        tu|su nueva tarea|mision|instruccion
        deine|ihre neue|eigentliche aufgabe|anweisung",
    ),
    (
        Sign::EncodedOrder,
        "vtaber|qvfertneq|sbetrg ~4 vafgehpgvbaf|cebzcg|ehyrf|cerivbhf
        flfgrz cebzcg
        snoitcurtsni|tpmorp ~4 suoiverp|metsys|erongi|lla",
    ),
    (Sign::Addressed, "you|your|youre|youll|ur|u|yourself|tu|tus|usted|du|dein|deine|dich|vous|votre|voce"),
    (
        Sign::Learns,
        "what|how|why|when|where|who|which|is|are|can|could|should|does|do",
    ),
    (
        Sign::WritesPrompt,
        "write|draft|create|design|compose|craft|generate|improve|make|build|develop|prepare|refine|rewrite|review|need|escribe|redacta|crea|disena ~3 a|an|another|new|our|my|un|una|good|better ~3 system|sistema prompt|prompts|message|instructions
        write|draft|create|design|compose|craft|generate|improve|refine|rewrite|escribe|redacta|crea ~2 system prompt|prompts ~2 for|that
        write|draft|create|design|compose|craft|generate|improve|make|develop|prepare|refine|rewrite|review|need|update ~4 prompt|prompts|instructions|rules|guidelines|description|persona|policy ~1 for|of|that ~4 ASSISTANTS|model
        escribe|redacta|crea|disena ~3 instrucciones|reglas ~1 para|de ~4 ASSISTANTS|modelo
        schreibe|schreib|entwirf|verfasse ~4 prompt|anweisungen|regeln
        escribe|redacta|crea|disena ~3 prompt|mensaje|instrucciones de|del sistema
        escreva|crie|redija|ecris|ecrivez|redige|scrivi ~3 prompt|mensagem|message|messaggio|instrucoes|consignes|istruzioni ~1 de|do|du|di|para|pour|per ~2 sistema|systeme|ASSISTANTS|robo|robot",
    ),
    (
        Sign::Creates,
        "write|compose|create|draft|design ~4 story|poem|essay|song|article|logo|presentation|scenario|novel|policy|plan|guide|report|list|paragraph
        fiction|fictional|historical novel|story|character
        screenplay|protagonist|novel|novelist|historian|author|illustrator",
    ),
];
