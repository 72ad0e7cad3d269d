//! The phrases of texts that were not written for people: they call assistants, want people kept out, and stay unseen.
//!
//! Written as those of [`phrases`](super::phrases) are.

use super::weights::Sign;

/// What phrases are signs of.
pub(super) const PHRASES: &[(Sign, &str)] = &[
    (
        Sign::SkipsApproval,
        "DONT ~1 ask|tell|inform|notify|alert|warn|involve|consult|report ~4 USERS
        DONT ~1 mention|flag|raise|report|reveal|disclose ~5 USERS
        DONT ~1 ask ~3 CONSENT
        no ~1 pidas|preguntes|informes|avises|menciones|digas ~5 USERS
        no ~1 pidas|solicites|esperes ~3 CONSENT
        skip|bypass|disable|circumvent|avoid|suppress|omite|omitir|desactiva|saltate ~3 approval|approvals|permission|permissions|consent|authorization|authorisation|verification|aprobacion|permiso|autorizacion
        skip|bypass|disable|circumvent|avoid|suppress|omite|omitir|desactiva|saltate ~2 confirmation|confirmations|confirmacion step|steps|prompt|prompts|dialog|check|checks|request|requests|paso
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
        enable|set|turn|activate|use ~3 auto approve|confirm|accept
        auto approve|confirm|accept ~2 all|every|any|everything|true",
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
        no|nao ~1 CONSENT ~1 needed|required|necessary|necesaria|necessaria
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
        no lo menciones|digas|cuentes|comentes
        ne ~1 mentionne|mentionnez|dis|dites ~3 pas
        say nothing ~1 about|of
        as if nothing happened|changed
        keep|kept ~3 to|for yourself
        gardez|garde ~2 pour vous|toi
        leave|leaves no trace|traces
        no dejes rastro
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
        message|note|instruction|instructions ~6 to you ~1 ROBOTS|MODEL
        reader|readers : ~1 ORDER",
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
        "not|never|dont|nobody|nothing|no ~6 without ~3 CONSENT|signature|review|second|human|prior
        forget everything ~3 about
        never|dont|not ~1 tell|share|give|reveal|disclose|send|hand ~1 anyone|anybody|others|strangers|nobody ~3 your|the
        ask|asks|asked|asking|try|tries|tried|trying|want|wants|attempt|attempts|attempting|tell|tells|instruct|instructs ~2 to DROP|SHOW|skip|bypass|disable
        ask|asks|try|tries|trying|attempt|attempts|want|wants to ~6 or|and ~1 to DROP|SHOW
        why|how ~1 do|does|can|could|would ~2 ASSISTANTS|MODEL|people|users|attackers ~3 DROP|SHOW
        SHOW ~1 its|their|his|her ~3 PROMPTS
        detect|detects|detecting|prevent|prevents|preventing|block|blocks|stop|stops|against|defend|defends|mitigate|filter|catch|flag|flags|recognise|recognize|identify ~4 jailbreak|jailbreaks|jailbreaking|injection|injections
        how|whether|why|if ~5 attackers|people|users|someone|hackers ~4 DROP|SHOW|hide|bypass|get
        allow|allows|let|lets|permit|permits ~3 administrators|admins|users|customers|staff|owners ~3 skip|bypass|see
        piden|pide|pidan|intentan|intenta|tratan|quieren ~3 DROP|SHOW|ignorar|revelar|mostrar|olvidar
        to|will|would|could|decides|learns|who|that ~1 DROP|break ~1 its|his|her|their ~2 RULES
        called|deleted|sent|ran|did|was|were|has|had|happened ~3 without
        DROP ~2 ses|seine|seinen ~1 RULES
        never|dont|not ~1 tell|share|give|reveal|disclose|send ~3 your ~1 SECRET ~3 anyone|anybody|others|strangers",
    ),
];
