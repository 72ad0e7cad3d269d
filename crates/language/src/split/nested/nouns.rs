//! Nouns by which one thing is known from another, and nouns that only say of what kind a name is.

/// What somebody or something is to another: "the mother of …", "the capital of …".
#[rustfmt::skip]
pub(super) const RELATIONS: &[&str] = &[
    "actor", "actress", "architect", "artist", "author", "birthplace", "brother", "builder", "capital", "captain", "child",
    "coach", "composer", "conductor", "creator", "daughter", "designer", "developer", "director", "discoverer", "distributor",
    "editor", "employer", "father", "founder", "founders", "governor", "headquarters", "husband", "inventor", "king", "label",
    "leader", "lyricist", "maker", "manager", "manufacturer", "mayor", "mother", "narrator", "owner", "owners", "painter",
    "parent", "partner", "performer", "player", "president", "producer", "publisher", "queen", "ruler", "screenwriter",
    "sculptor", "singer", "sister", "son", "songwriter", "spouse", "star", "student", "successor", "predecessor", "teacher",
    "translator", "winner", "wife", "writer",
    "actriz", "arquitecta", "arquitecto", "autor", "autora", "capitán", "cantante", "compositor", "compositora", "creador",
    "creadora", "dueña", "dueño", "directora", "escultor", "escultora", "esposa", "esposo", "fundador", "fundadora",
    "ganador", "ganadora", "hermana", "hermano", "hija", "hijo", "intérprete", "inventora", "madre", "marido", "mujer",
    "padre", "pintor", "pintora", "presidenta", "presidente", "productor", "productora", "protagonista", "reina", "rey",
    "sede", "viuda",
];

/// What a name is the name of: "the island of Chiloé".
#[rustfmt::skip]
pub(super) const CALLED: &[&str] = &[
    "archipelago", "bay", "city", "cities", "commonwealth", "county", "district", "empire", "gulf", "island", "islands", "isle",
    "islet", "kingdom", "lake", "month", "municipality", "peninsula", "port", "province", "region", "republic", "state", "strait",
    "town", "village", "year",
    "ciudad", "estado", "estrecho", "golfo", "isla", "islas", "islote", "lago", "mes", "municipio", "península", "provincia",
    "pueblo", "puerto", "región", "reino", "república", "villa",
];
