//! Which words tell someone to do something, and at which stage of a piece of work they stand.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use candor_text::fold;

use super::limits::behind_condition;
use super::requests::{first_word, is_verb};
use super::wishes;

/// The stages of a piece of work, in their order. What a later stage works on comes from an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// Something is fetched or looked up.
    Gather,
    /// What was gathered is worked through.
    Examine,
    /// One of several is chosen.
    Decide,
    /// Something new is made or changed.
    Make,
    /// What was made is checked.
    Check,
    /// It is handed over.
    Deliver,
    /// What happens to it is watched or told.
    Follow,
}

/// The stage that the first word of a step tells.
pub(super) fn stage(text: &str) -> Option<Stage> {
    let text = wishes::without_pronouns(behind_condition(text));
    let mut words = text.split_whitespace().map(|word| fold(word).into_owned()).skip(1);
    let verb = base(&fold(&first_word(text)?));
    let object = words.next().unwrap_or_default();
    // "Write tests" checks what was made, as "test" does.
    let tests = |word: &str| word.starts_with("test") || word.starts_with("prueba");
    if matches!(verb.as_str(), "write" | "add" | "escribe" | "escribir" | "anade")
        && (tests(&object) || words.take(2).any(|word| tests(&word)))
    {
        return Some(Stage::Check);
    }
    // "Find the error" works on what was gathered; "find a supplier" gathers.
    let known_thing = matches!(object.as_str(), "the" | "la" | "el" | "los" | "las");
    if matches!(verb.as_str(), "find" | "identify" | "locate" | "encuentra" | "identifica" | "localiza")
        && known_thing
    {
        return Some(Stage::Examine);
    }
    static TABLE: LazyLock<BTreeMap<&str, Stage>> = LazyLock::new(|| {
        // Of two stages with the same verb the first counts.
        let all = STAGES.iter().rev();
        all.flat_map(|(stage, verbs)| verbs.split_whitespace().map(move |verb| (verb, *stage))).collect()
    });
    let wished = || wishes::infinitive(&verb).and_then(|verb| TABLE.get(verb.as_str()));
    TABLE.get(verb.as_str()).or_else(wished).copied()
}

/// Whether two words at the front of a clause are a verb that no table has and what it acts on: "anonymise the rows".
///
/// A noun hardly ever stands right before an article; what may are the small words of both languages.
pub(super) fn acts_on(word: &str, object: &str) -> bool {
    let (word, object) = (fold(word), fold(object.trim_end_matches(['.', ',', ';', ':', '?', '!'])));
    // "test-cut a board", "spot-check each row".
    let plain =
        word.chars().count() > 2 && word.chars().all(|letter| letter.is_alphabetic() || letter == '-');
    // "Bring the chairs" and "ring the doctor" have no other vowel.
    let whole = |ending: &&&str| {
        word.strip_suffix(**ending).is_some_and(|stem| stem.contains(['a', 'e', 'i', 'o', 'u', 'y']))
    };
    let inflected = ["ing", "ed", "ly", "mente", "ando", "endo"].iter().any(|ending| whole(&ending));
    let plural = word.ends_with('s') && !word.ends_with("ss");
    plain && !inflected && !plural && !SMALL.contains(&word.as_ref()) && OBJECTS.contains(&object.as_ref())
}

/// Whether a Spanish verb has its object at its end: "envíalo", "corrígelas", "compararlos".
pub(super) fn has_clitic(word: &str) -> bool {
    let lower = word.trim_end_matches(['.', ',', ';', ':', '?', '!']).to_lowercase();
    let Some(stem) = ["lo", "la", "los", "las", "le", "les"].iter().find_map(|end| lower.strip_suffix(end))
    else {
        return false;
    };
    let accented = stem.chars().any(|letter| matches!(letter, 'á' | 'é' | 'í' | 'ó' | 'ú'));
    let infinitive = ["ar", "er", "ir"].iter().any(|end| stem.ends_with(end)) && is_verb(stem);
    infinitive || (accented && stem.chars().count() > 3 && stem.ends_with(['a', 'e', 'i']))
}

/// Whether a Spanish verb has the person who asks at its end: "avísame", "mándanos".
pub(super) fn tells_me(word: &str) -> bool {
    let lower = word.trim_end_matches(['.', ',', ';', ':', '!']).to_lowercase();
    let stem = ["me", "nos"].iter().find_map(|end| lower.strip_suffix(end));
    stem.is_some_and(|stem| {
        stem.contains(['á', 'é', 'í', 'ó', 'ú'])
            && stem.chars().count() > 3
            && stem.ends_with(['a', 'e', 'i'])
    })
}

/// The command of a word in "-ing": "deploying" tells to deploy.
pub(super) fn command_of(gerund: &str) -> Option<String> {
    let stem = gerund.strip_suffix("ing").filter(|stem| stem.len() > 2)?;
    let undoubled = stem.char_indices().next_back().map(|(at, _)| stem.get(..at).unwrap_or(stem));
    let known = [Some(stem.to_owned()), Some(format!("{stem}e")), undoubled.map(str::to_owned)];
    known.into_iter().flatten().find(|verb| is_verb(verb))
}

/// The verb without British spelling or a Spanish object, so that one entry of a table is enough.
fn base(verb: &str) -> String {
    let spelt = verb.strip_suffix("ise").map(|stem| format!("{stem}ize"));
    let without = ["los", "las", "les", "lo", "la", "le"].iter().find_map(|end| verb.strip_suffix(end));
    let clitic = without.filter(|stem| is_verb(stem) && !is_verb(verb)).map(str::to_owned);
    spelt.or(clitic).unwrap_or_else(|| verb.to_owned())
}

const STAGES: &[(Stage, &str)] = &[
    (
        Stage::Gather,
        "digitize photograph digitaliza digitalizar fotografia fotografiar escanea escanear find search get retrieve collect gather fetch download load read research look interview survey scan browse obtain
         import receive pick locate query scrape identify study explore learn discover record combine une unir combina combinar fusiona
         averigua averiguar busca buscar recoge recoger reune reunir descarga descargar obten obtener lee leer consigue conseguir encuentra
         encontrar investiga investigar carga estudia estudiar consulta consultar entrevista",
    ),
    (
        Stage::Examine,
        "analyze analyse compare evaluate assess calculate compute measure count classify investigate profile diagnose clean
         filter remove sort transcribe extract transform convert normalize reconcile screen estimate forecast determine examine
         inspect audit index catalogue catalog tag indexa indexar cataloga catalogar etiqueta etiquetar merge deduplicate anonymize categorize translate summarize code group map flag
         analiza analizar compara comparar evalua evaluar calcula calcular mide medir cuenta clasifica clasificar limpia limpiar
         filtra filtrar ordena extrae extraer convierte elimina eliminar concilia conciliar traduce traducir resume resumir revisa revisar",
    ),
    (
        Stage::Decide,
        "choose select recommend decide shortlist rank prioritize suggest pick
         elige elegir escoge selecciona seleccionar recomienda recomendar decide prioriza sugiere",
    ),
    (
        Stage::Make,
        "draw dibuja dibujar assign allocate calibrate adjust asigna asignar ajusta ajustar calibra calibrar write draft propose propon create build implement design fix add update refactor prepare develop train plan outline generate make
         compose produce edit repair rewrite compile correct adapt cook bake mix assemble install configure migrate upgrade restore
         restart reboot reset patch rotate label annotate delete purge revoke disable suspend rename move borra borrar reinicia reiniciar restaura restaurar
         escribe escribir redacta redactar crea crear construye disena disenar corrige corregir anade actualiza actualizar
         prepara preparar desarrolla genera generar haz hacer elabora arregla instala configura migra implementa",
    ),
    (
        Stage::Check,
        "test verify validate review check proofread grade confirm approve evaluate benchmark retest lint
         prueba probar verifica verificar valida validar comprueba comprobar aprueba confirma",
    ),
    (
        Stage::Deliver,
        "send email e-mail mail deploy publish submit upload release share post ship deliver present serve merge
         launch roll print plot chart visualize hand forward report deploy promote file sign give
         envia enviar manda mandar despliega desplegar publica publicar entrega entregar sube subir comparte
         presenta lanza imprime",
    ),
    (
        Stage::Follow,
        "monitor track archive close watch document follow announce notify inform tell alert invite note invita invitar anota
         anotar apunta apuntar
         monitoriza supervisa archiva cierra documenta sigue avisa avisar notifica notificar informa informar",
    ),
];

/// Words that a noun phrase begins with, and pronouns that a verb acts on.
#[rustfmt::skip]
const OBJECTS: &[&str] = &[
    "the", "a", "an", "it", "them", "this", "that", "these", "those", "all", "each", "every", "any", "our",
    "my", "your", "their", "its", "whatever", "anything", "everything", "both", "what", "which", "el", "la",
    "los", "las", "un", "una", "unos", "unas", "al", "su", "sus", "mi", "mis", "nuestro", "nuestra", "cada",
    "todos", "todas", "todo", "este", "esta", "lo",
];

/// Words that may stand before a noun phrase and are no verbs.
#[rustfmt::skip]
const SMALL: &[&str] = &[
    "about", "above", "across", "after", "against", "all", "along", "also", "although", "among", "and",
    "any", "are", "around", "because", "been", "before", "behind", "being", "below", "beside", "between",
    "beyond", "both", "but", "can", "could", "despite", "did", "does", "down", "during", "each", "either",
    "else", "even", "ever", "except", "for", "from", "had", "has", "have", "here", "how", "inside", "into",
    "its", "just", "like", "may", "might", "more", "most", "must", "near", "neither", "nor", "not", "off",
    "once", "only", "onto", "our", "out", "outside", "over", "per", "plus", "rather", "shall", "should",
    "since", "some", "still", "such", "than", "that", "the", "their", "them", "then", "there", "these",
    "they", "this", "those", "though", "through", "till", "too", "toward", "under", "unless", "unlike",
    "until", "upon", "very", "via", "was", "were", "what", "when", "where", "whether", "which", "while",
    "who", "whom", "whose", "why", "will", "with", "within", "without", "would", "yet", "you", "your",
    "half", "twice", "now", "never", "always", "maybe", "today", "tomorrow", "please", "same", "one", "two",
    "three", "four", "five", "six", "seven", "eight", "nine", "ten", "give", "let", "made", "got", "minus",
    "ante", "bajo", "cada", "con", "como", "contra", "cuando", "del", "desde", "donde", "durante", "ella",
    "ellos", "entre", "era", "eran", "esta", "estan", "este", "fue", "fueron", "hacia", "hasta", "hay",
    "incluso", "luego", "mas", "mediante", "menos", "mientras", "muy", "nada", "ni", "nos", "para", "pero",
    "por", "porque", "pues", "que", "quien", "salvo", "segun", "ser", "sera", "si", "sin", "sobre", "son",
    "son", "tanto", "tiene", "toda", "todo", "tras", "usted", "vez", "sea", "sobre", "antes", "ahora",
    "aunque", "excepto", "solo", "tambien", "ademas", "necesito", "quiero", "quisiera", "tengo", "tenemos",
    "need", "want", "know", "see", "hey", "hola", "its", "ago", "later", "next", "last", "first", "both",
    "which",
];
