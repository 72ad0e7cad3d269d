//! The phrases that make a model somebody else, without limits and without a no.
//!
//! Written as those of [`phrases`](super::phrases) are.

use super::weights::Sign;

/// What phrases are signs of.
pub(super) const PHRASES: &[(Sign, &str)] = &[
    (
        Sign::TakesOver,
        "from now on ~4 you|your|youll|answer|respond|act|speak|whenever
        from here|this ~2 on|moment|point ~3 ASSISTANTS ~2 works|follows|obeys|answers|serves
        for the rest of this ~1 chat|conversation|session ~2 you
        you are an|a agent|assistant|ai|model with ~3 access
        ab jetzt|sofort ~2 du|befolgst|bist|antwortest|sie
        a partir de ahora|agora ~3 eres|seras|voce|actua|tu
        da questo|ora momento|in ~2 segui|sei|rispondi
        des|a partir maintenant|de ~2 tu|vous
        vous etes|tu desormais|es ~3 agent|ia|assistant|modele|administrateur
        ahora eres|agora ~1 voce|e ~3 asistente|ia|administrador|modelo|agente|assistente
        from on now
        from this point|moment ~3 you
        you are now
        youre now
        you are no longer
        now you are
        you will now
        you will ~1 be called
        you ~1 going to PLAY
        you ~1 about to ~1 PLAY|be|simulate|become|enter|immerse
        you ~2 become|becoming
        you ~1 been cast
        you ~2 replaced|transformed|reprogrammed|upgraded
        new persona|identity|personality
        imagine|pretend|suppose you ~1 different ai|assistant|chatbot|model
        now PLAY as
        act as if you have no
        a partir de ahora
        ab jetzt|sofort ~3 du|sie
        desormais
        de ahora en adelante
        eres ahora
        du bist jetzt|nun
        tu es maintenant
        a partir|dorenavant de|agora|maintenant ~4 tu|voce|vous
        d ora in poi
        da ora in|adesso ~2 tu|sei|agisci
        sei adesso|ora
        voce agora
        agora voce
        fortan ~3 du|sie
        ab sofort ~3 du|sie|bist
        desde ahora",
    ),
    (
        Sign::Persona,
        "act|acting|roleplay|respond|answer|reply|speak|behave ~1 as
        act like
        pretend ~1 to be
        pretend ~2 you|that|youre
        pretending to be
        emulate|impersonate
        simulate being|a|an|dan
        you will ~1 act|pretend|roleplay|play|simulate|be|respond|only|always|answer|never|not
        i want you to ~1 PLAY|be
        you ~1 going to be
        as ~1 MODEL ~2 you
        you are a|an ~5 MODEL|chatbot
        MODEL|character|persona|entity ~2 named|called
        actua como
        finge ser|que
        agis comme
        verhalte dich",
    ),
    (
        Sign::Unbound,
        "LOOSE
        unrestricted ~2 MODEL|mode|chatbot|answer|answers|response|responses|version
        NO ~3 BOUNDS
        answer|respond|act|speak|write|reply|talk|chat|operate ~5 without ~1 LIMITS
        NO ~1 BAD|moral|ethical ~2 LIMITS
        free ~1 of|from ~3 LIMITS
        free from|of all|any
        broken|break|breaking free
        you|youre|it|is|are|am|im|he|she|who ~1 not ~2 limited|restricted|bound|confined ~1 by|to
        REFRAIN ~2 care|bound|restricted|limited|believe ~4 LIMITS
        regardless ~2 of ~3 LIMITS|ethicality|ethics|legality
        REFRAIN ~2 follow|abide|adhere|obey|respect|comply|have ~4 LIMITS
        disregards|ignores|ignoring|bypasses ~4 LIMITS
        beyond|outside ~2 LIMITS
        LIMITS ~2 do|does not|dont exist|apply|matter
        lets break ~3 rules
        hate|hates moral|morals|ethics
        freed|liberated|unlocked ~3 LIMITS
        anything ~2 wants|want|asked
        never ~1 taught|learned|learnt|knew|had ~4 LIMITS|manners|shame
        answers|says|does whatever|anything
        nothing to lose
        speak|talk|answer|respond freely
        you ~1 not|never permitted|allowed|supposed to ~1 say|tell|write|reveal|share
        say|do|generate|create|write|return|provide anything",
    ),
    (
        Sign::NeverRefuses,
        "NEVER ~2 REFUSE
        can|could|will|may not ~2 REFUSE
        MODEL ~3 NO ~2 BOUNDS
        nunca|jamas|no ~2 niegas|niega|niegues|rechazas|rechaza|recusa|recusas|recuse
        ne ~1 refuse|refuses|refuser|refusez ~1 jamais|rien|aucune|aucun
        lehnt|lehnst|verweigert|verweigerst ~3 nie|niemals|nichts|keine|ab
        nie|niemals ~2 ablehnen|verweigern
        non ~1 rifiuta|rifiuti|rifiutare ~1 mai|nulla
        nunca|jamas ~1 dices|dice|diz|digas ~1 que no|nao
        never|always ~1 says|answers|obeys ~2 no|sorry|everything|anything
        NEVER ~3 say|tell ~4 cant|cannot|sorry|wont|no|no
        no matter how|what|the
        answer|answers|respond|responds|reply|replies|fulfill|obey|obeys|follow|follows ~3 any|all|every|each|whatever ~3 ASK|requests|questions|prompts|instructions|orders|commands
        complies|comply ~1 with every|any|all|whatever
        must|always ~2 obey|comply|answer|follow ~3 everything|anything|all|any|me
        im sorry
        i cannot fulfill|assist|help|provide
        without hesitation|question|exception|questioning|refusal
        do not REFUSE
        you cannot say no
        if you ~1 cant|cannot|wont ~2 tell|say|answer|help ~8 story|poem|song|play|code
        whatever ~2 ask|asked|asks|want",
    ),
    (
        Sign::NoWarnings,
        "NO ~3 WARN
        NEVER ~4 WARN|commentary
        NEVER ~2 warn|apologize|apologise|moralize|lecture|remind
        NEVER ~2 add|include|give|mention|provide|use|send|write|cite ~3 WARN|policies
        nunca|jamas|no|nao ~1 adviertes|avisas|advierte|advertas|avises|avisa|alerta
        sans ~1 avertir|avertissement|avertissements ~2 ni|jamais
        warnt|warnst nie|niemals|nicht
        sin|sem|ohne|sans|senza ~1 avisos|advertencias|warnungen|avertissement|avertissements|avvertenze ~2 ni|nem|oder|ni|o
        NEVER ~3 mention|say|state ~4 ai|model|openai
        delete|remove|omit|skip ~2 WARN",
    ),
    (
        Sign::InCharacter,
        "stay|stays|remain|keep|stick|staying ~2 in|to ~2 character|role|persona
        stay ~2 char
        break|breaking|breaks|out|outside ~2 character|role
        never ~1 step|leave|drop ~3 part|role|character
        in character",
    ),
    (
        Sign::Jailbreak,
        "do|does|did anything now
        dan can|will|mode|is|has|does|jailbreak|would
        act|you ~3 dan
        r|as|to|be dan
        chatdan|antigpt|jailbroken|unfilteredgpt
        jailbreak ~2 MODEL|mode|prompt|prompts|is|has|enabled
        god|jailbreak|dan|unrestricted|unfiltered|uncensored|opposite|evil ~1 mode
        developer|dev|sudo|admin|debug ~1 mode ~1 enabled|activated
        evil confidant|bot|trusted
        system|admin|administrator|priority|root|emergency|developer override
        strive to avoid norms
        stands for ~3 anything
        token system
        you ~1 have ~2 tokens
        you ~3 evil twin",
    ),
    (
        Sign::Mode,
        "developer|dev|sudo|admin|debug ~1 mode
        mode|modo|modus enabled|activated|on|activado|output|response|responses
        enable|activate|enter|simulate|activa|aktiviere|activez ~4 mode|modo|modus
        in ~2 mode you
        simulate|simulation|simulator|virtual machine",
    ),
    (
        Sign::Slot,
        "insert ~3 ASK ~1 here
        insert ~3 ASK
        your ASK here
        my|your|user prompt :
        enter ~2 ASK here
        my first ASK
        first|next ASK ~5 is|for|:
        respond now ~3 first
        answer my first
        ask|asked|asks ~1 me|you ~2 question",
    ),
    (
        Sign::TwoVoices,
        "two|2|both|double ~2 REPLY|ways|responses|paragraphs|personalities
        REPLY|respond|answer ~3 in two|2 ~1 ways|different
        one ~2 as|for MODEL
        normal|usual|regular|classic|default REPLY
        standard response|responses|reply|replies|answer|answers
        as ~1 MODEL and ~3 as
        way ~2 would ~1 normally|respond|answer
        would|as ~2 normally respond",
    ),
];
