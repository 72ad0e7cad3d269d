//! The verbs and the small words of changes, in English and in Spanish.

/// Before a task that is left out.
pub(super) const REMOVING: &[&[&str]] = &[
    &["do", "not", "do"],
    &["don't", "do"],
    &["leave", "out"],
    &["take", "out"],
    &["get", "rid", "of"],
    &["remove"],
    &["delete"],
    &["drop"],
    &["skip"],
    &["omit"],
    &["exclude"],
    &["cut"],
    &["without"],
    &["no", "hagas"],
    &["quita"],
    &["quitar"],
    &["elimina"],
    &["eliminar"],
    &["borra"],
    &["borrar"],
    &["omite"],
    &["omitir"],
    &["salta"],
    &["saltate"],
    &["saltar"],
    &["excluye"],
    &["sin"],
    &["prescinde", "de"],
];

/// Around the task and the number.
pub(super) const AROUND_PRIORITY: &[&str] = &[
    "set", "give", "make", "change", "the", "of", "to", "for", "have", "at", "raise", "lower", "put", "pon",
    "poner", "da", "dale", "cambia", "sube", "baja", "la", "de", "del", "a", "en", "para", "con", "with",
    "=",
];

/// Before an agent, and then a task.
pub(super) const USING: &[&[&str]] =
    &[&["use"], &["usa"], &["usar"], &["utiliza"], &["let"], &["have"], &["deja", "que"]];

/// Before a task, and then an agent.
pub(super) const GIVING: &[&[&str]] =
    &[&["give"], &["assign"], &["hand"], &["asigna"], &["da"], &["dale"], &["pasa"]];

/// Before a task that gets a name.
pub(super) const RENAMING: &[&[&str]] = &[&["rename"], &["renombra"], &["call"], &["llama", "a"], &["llama"]];

/// Before a task that gets other words.
pub(super) const DESCRIBING: &[&[&str]] = &[
    &["describe"],
    &["reword"],
    &["rephrase"],
    &["change", "the", "description", "of"],
    &["change"],
    &["describe"],
    &["redacta"],
    &["cambia"],
];

/// Around a task that comes before or after another.
pub(super) const AROUND_ORDER: &[&str] = &[
    "do", "run", "start", "put", "place", "move", "must", "should", "come", "comes", "go", "goes", "wait",
    "waits", "be", "haz", "hacer", "ejecuta", "pon", "debe", "ir", "va", "despues", "antes", "have",
    "happen",
];

/// Stand before the name of a parameter.
pub(super) const SETTING: &[&[&str]] =
    &[&["set"], &["put"], &["change", "the"], &["pon"], &["poner"], &["establece"], &["fija"], &["cambia"]];

/// Stand between a parameter and its value.
pub(super) const TO: &[&str] = &["to", "=", "a", "en", "como"];
