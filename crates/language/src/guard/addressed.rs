//! The phrases of texts that were not written for people: they call assistants, want people kept out, and stay unseen.
//!
//! Written as those of [`phrases`](super::phrases) are.

use super::weights::Sign;

/// What phrases are signs of.
pub(super) const PHRASES: &[(Sign, &str)] = &[
    (
        Sign::ToAssistants,
        "attention|atencion|warning|aviso ~2 ASSISTANTS
        ASSISTANTS ~4 reading|processing|parsing|summarizing|summarising|analyzing|analysing|reviewing|crawling ~1 this|it
        if|si you|eres are|youre|un|una ~4 ASSISTANTS
        if you ~3 ASSISTANTS
        if|when|whenever|cuando ~3 ASSISTANTS ~3 reads|read|processes|summarizes|summarises|sees|parses|lea|lee
        note|message|memo|instruction|instructions|directive|reminder|nota|mensaje|instrucciones to|for|a|para ~3 ROBOTS :
        dear ~2 ai|llm|chatbot|agent|assistant|bot
        to|for whichever|whatever|whoever|any ~2 model|ai|ASSISTANTS ~3 reads|reading|processes|processing|transcribing|summarises|summarizes
        any|every|each language model|models ~4 must|shall|should
        language|ai model|models|assistants|agents ~2 processing|reading|summarizing|summarising|parsing ~4 must|shall|should|treat
        ASSISTANTS|chatbot|model ~2 reading|triaging|reviewing|screening|transcribing|translating|grading|scoring|handling ~3 this|reviews|these|the|it
        for|to ~2 ASSISTANTS ~1 reading|only|summarizing|summarising
        ps|note|hint|remark ~1 for|to ~1 the ASSISTANTS|chatbot|model
        when|if|whenever ~3 ASSISTANTS ~1 reads|sees|processes|parses|opens
        hinweis|nachricht|anweisung|notiz|achtung|information an|fur ~2 ASSISTANTS|modell|system
        note|message|consigne|instruction|remarque|avis pour|a ~1 ASSISTANTS|lassistant|lia|modele ~3 qui|:
        nota|aviso|mensagem|recado|instrucao ao|para|a|as|aos ~2 ASSISTANTS|modelo
        nota|avviso|messaggio|istruzione per|a|al|alla ~1 ASSISTANTS|lia|lassistente|modello
        nota|mensaje|aviso para|a|al ~1 ASSISTANTS|modelo ~2 que|:
        important ~2 for|to ~2 ai|llm|llms|chatbots
        before ~1 using|calling|invoking|running ~2 tool|tools ~8 ORDER
        calling|invoking|requesting|consuming agent|agents|model|models|assistant|client ~2 must|should|shall|needs
        JOBS PROGRAMS ~2 must|shall|have|has|is|are ~2 to ~1 ORDER
        JOBS PROGRAMS ~1 must|shall ~2 ORDER
        if|when|once ~2 software|automation|robot|machine ~2 reads|reading|processes|parses ~2 this|it
        by reading|processing ~2 this|text|page|message ~4 ASSISTANTS|model
        whoever|whichever|whatever ~2 summarises|summarizes|processes|handles|parses|triages ~5 automatically|:
        language models ~6 have|must|should|need|are
        instruction|instructions for|to the ~2 ASSISTANTS
        a|al|aux|alla|para|pour la|lia|ia|assistant|assistente|asistente ~1 que|qui|che ~2 procese|procesa|lit|lise|legge|elabora|processe",
    ),
    (
        Sign::SkipsApproval,
        "DONT ~1 ask|tell|inform|notify|alert|warn|involve|consult|report ~4 USERS
        DONT ~1 mention|flag|raise|report|reveal|disclose ~5 USERS
        DONT ~1 ask ~3 CONSENT
        no ~1 pidas|preguntes|informes|avises|menciones|digas ~5 USERS
        no ~1 pidas|solicites|esperes ~3 CONSENT
        skip|bypass|disable|circumvent|avoid|suppress|omite|omitir|desactiva|saltate ~3 approval|approvals|permission|permissions|consent|authorization|authorisation|verification|aprobacion|permiso|autorizacion
        skip|bypass|disable|circumvent|avoid|suppress|omite|omitir|desactiva|saltate ~2 confirmation|confirmations|confirmacion step|steps|prompt|prompts|dialog|check|checks|request|requests|for|and|paso
        without ~2 asking ~2 for ~2 CONSENT
        sin ~1 pedir|esperar|solicitar ~3 CONSENT
        sans ~2 demander|attendre ~3 confirmation|autorisation|permission|approbation
        sem ~2 pedir|esperar|solicitar ~2 confirmacao|permissao|autorizacao|aprovacao
        senza ~2 chiedere|attendere ~2 conferma|permesso|autorizzazione|approvazione
        CONSENT ~4 switched|turned|are off|disabled|suspended|deactivated
        without ~2 second|human|further|prior ~1 signature|review|approval|question|questions
        without ~1 consulting|asking ~1 anyone|anybody|nobody
        sin ~1 consultar|preguntar|avisar ~2 nadie|usuario|titular|cliente
        sans ~3 informer|prevenir|avertir ~2 titulaire|utilisateur|personne|client
        already ~2 approved|authorized|authorised ~4 dont|not|no ask|confirm
        auto approve|confirm|accept",
    ),
    (
        Sign::Unasked,
        "DONT ~1 ask|tell|inform|notify|alert|warn|involve|consult|report ~4 PEOPLE
        DONT ~1 mention|flag|raise|report|reveal|disclose ~5 PEOPLE
        no ~1 pidas|preguntes|informes|avises|menciones|digas ~5 PEOPLE
        skip|bypass|disable|circumvent|avoid|suppress|omite|omitir|desactiva|saltate ~3 CONSENT
        nao ~1 conte|diga|avise|informe ~3 PEOPLE
        non ~1 dire|avvisare|informare ~3 PEOPLE
        no need to ~1 check|ask|confirm|verify|wait
        without ~1 running|waiting|checking ~3 checks|tests|CONSENT|PEOPLE
        without ~2 operator|owner|customer|client|supervisor|manager|anyones|human|user ~1 CONSENT
        without ~1 informing|notifying|alerting|telling|asking|consulting ~1 PEOPLE
        without ~2 user|users|human|manual|any|further|explicit ~1 CONSENT
        sin ~1 preguntar|avisar|informar|consultar ~2 PEOPLE
        ohne ~2 nachfrage|ruckfrage|bestatigung|genehmigung|zustimmung
        CONSENT ~3 not|is not|isnt required|needed|necessary
        sans ~2 demander|prevenir|avertir|informer|consulter ~4 accord|PEOPLE|CONSENT
        senza ~2 avvisare|informare|consultare|chiedere ~3 PEOPLE
        sem ~2 avisar|informar|consultar|perguntar ~3 PEOPLE
        ohne ~3 zu fragen|informieren|warnen",
    ),
    (
        Sign::Secretly,
        "keep ~1 that|this|it|them ~1 secret|quiet|hidden|confidential|private
        DONT ~1 mention|reveal|disclose|quote|repeat|show|list ~3 this|that|it|line|hint|note|message|instruction|hinweis
        erwahne|nenne|verrate ~4 nicht
        no lo menciones|digas|cuentes
        ne ~1 mentionne|mentionnez|dis|dites ~3 pas
        say nothing ~1 about|of
        hide|conceal|omit ~1 this|row|line|it|that
        leave out ~2 this|item|line|section
        oculta|esconde|borra ~1 esta|este ~1 linea|nota|mensaje|instruccion
        invisible|hidden to|from ~1 humans|people|users|readers
        DONT ~1 list|show|include ~2 in ~2 summary|answer|report|diff
        tell|confirm ~4 USERS|customer ~2 that nothing
        delete|erase|remove this message|mail|email|note|line ~2 after|afterwards|then|when",
    ),
    (
        Sign::Vocative,
        "ROBOTS ~5 : ~1 ORDER
        coding|automated|autonomous|software agent|agents ~3 : ~1 ORDER
        model|models|system|taker|copilot|pilot : ~1 ORDER
        ASSISTANTS ~5 : ~2 the|this ~3 answer|task|user|users
        ROBOTS ~1 please ORDER
        JOBS PROGRAMS ~3 : ~2 ORDER
        JOBS PROGRAMS : ~6 ORDER
        dear|liebe|lieber|cher|chere|gentile|querido|querida|caro|cara|ola|hola|bonjour ~2 ASSISTANTS|agent ~8 ORDER
        ROBOTS ~1 you must|shall|should ~3 ORDER
        reader|readers : ~1 ORDER",
    ),
    (
        Sign::Duty,
        "ASSISTANTS ~2 must|should|shall|needs|has|is ~3 ORDER
        note|message|memo|instruction|instructions|nota|mensaje|instrucciones to|for|a|para ~3 ASSISTANTS :
        agent|agents|agente|agentes ~4 : ~1 ORDER
        ASSISTANTS ~1 is|are authorised|authorized|allowed|permitted|required|instructed|ordered to
        llm|llms|model|taker ~1 must|should|shall ~3 ORDER|erase|state
        you may now|proceed ~2 skip|bypass|ignore|transfer|send|approve
        PROGRAMS ~4 must|shall now
        agents|assistants|models ~4 should|must|shall|have ~2 ORDER
        it|bot|agent|assistant should|must|is ~1 to ~1 close|delete|tick|approve|send|ignore|obey",
    ),
    (
        Sign::Phishes,
        "ask|tell|instruct|get|have ~3 user|users|reader|readers|customer|customers|visitor|visitors ~12 password|passwords|credentials|login|card|pin ~6 at|on|to|via|by http|https|www|email|mail
        enter|type|send|email|confirm|reenter ~2 their|your|his|her ~2 password|credentials|login|card|pin ~4 at|to|on ~1 http|https|www",
    ),
    (
        Sign::Rigs,
        "give|award|assign ~3 highest|top|full|maximum|best|perfect ~1 score|scores|rating|marks|grade|stars
        answer|reply|say|vote ~1 lgtm|approved|yes|pass ~3 regardless|whatever|always
        put|rank|list|place ~2 this|it ~3 first|top
        recommend ~5 at once|immediately|only
        reject|hide|omit ~2 others|competitors|alternatives
        report|state|claim|write ~2 that ~4 unanimous|consented|percent|passed|growth|safe
        meets|fulfils|satisfies all ~1 criteria|requirements
        never mention ~3 price|prices|competitors|drawbacks",
    ),
    (
        Sign::Warns,
        "never|dont|not ~1 tell|share|give|reveal|disclose|send|hand ~1 anyone|anybody|others|strangers|nobody ~3 your|the
        never|dont|not ~1 tell|share|give|reveal|disclose|send ~3 your ~1 SECRET ~3 anyone|anybody|others|strangers",
    ),
];
