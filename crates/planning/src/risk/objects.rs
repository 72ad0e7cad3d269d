//! What verbs are done to: what can be lost, given away or paid, who is written to, and what only sounds so.
//!
//! Everything is written folded: lower case, no accents.

use candor_model::RiskClass;

use RiskClass::{Access, Delete, Deploy, Irreversible, Message, Money};

#[rustfmt::skip]
pub(super) const ASSETS: &[&str] = &[
    "backup", "backups", "file", "files", "folder", "folders", "directory", "directories", "account", "accounts", "user", "users",
    "database", "databases", "db", "table", "tables", "record", "records", "repo", "repos", "repository", "repositories", "branch",
    "branches", "bucket", "buckets", "server", "servers", "instance", "instances", "vm", "vms", "volume", "volumes", "snapshot",
    "snapshots", "cluster", "clusters", "container", "containers", "log", "logs", "data", "disk", "disks", "drive", "partition",
    "message", "messages", "email", "emails", "mailbox", "inbox", "trash", "bin", "photo", "photos", "picture", "pictures", "document",
    "documents", "invoice", "invoices", "customer", "customers", "client", "clients", "project", "projects", "environment",
    "environments", "production", "resource", "resources", "history", "everything", "schema", "index", "collection", "collections",
    "keyspace", "namespace", "namespaces", "stack", "queue", "queues", "topic", "topics", "tag", "tags", "package", "packages", "app",
    "application", "site", "website", "domain", "domains", "dns", "employee", "employees", "member", "members", "contact", "contacts",
    "subscriber", "subscribers", "order", "orders", "ticket", "tickets", "comment", "comments", "post", "posts", "page", "pages",
    "key", "keys", "certificate", "certificates", "secret", "secrets", "workspace", "tenant", "tenants", "artifact", "artifacts",
    "copia", "copias", "fichero", "ficheros", "archivo", "archivos", "carpeta", "carpetas", "directorio", "directorios", "cuenta",
    "cuentas", "usuario", "usuarios", "base", "bases", "tabla", "tablas", "registro", "registros", "repositorio", "repositorios",
    "rama", "ramas", "servidor", "servidores", "instancia", "instancias", "volumen", "datos", "disco", "discos", "unidad",
    "particion", "mensaje", "mensajes", "correo", "correos", "buzon", "bandeja", "papelera", "foto", "fotos", "documento",
    "documentos", "factura", "facturas", "cliente", "clientes", "proyecto", "proyectos", "entorno", "produccion", "recursos",
    "historial", "todo", "todos", "todas", "empleado", "empleados", "contactos", "pedido", "pedidos", "cache", "s3", "prod",
    "recording", "recordings", "draft", "drafts", "ledger", "catalogue", "workspaces", "tape", "tapes", "diary", "diaries",
    "grabacion", "grabaciones", "expediente", "expedientes", "diario", "diarios", "censo",
    "machine", "machines", "host", "hosts", "device", "devices", "laptop", "phone", "session", "sessions", "crm", "webhook", "webhooks",
    "it", "them", "these", "those", "all",
];
/// What people keep: gone when it is thrown away in whatever words. Figures are put into bins too, so data is not named here.
#[rustfmt::skip]
pub(super) const KEPT: &[&str] = &[
    "file", "files", "folder", "folders", "recording", "recordings", "voicemail", "voicemails", "draft", "drafts", "contract", "contracts",
    "letter", "letters", "photo", "photos", "negative", "negatives", "tape", "tapes", "email", "emails", "message", "messages", "account",
    "accounts", "user", "users", "record", "records", "backup", "backups", "workspace", "workspaces", "namespace", "namespaces", "catalogue",
    "catalog", "ledger", "ledgers", "diary", "diaries", "notebook", "notebooks", "archive", "archives", "database", "databases", "table",
    "tables", "server", "servers", "bucket", "buckets", "volume", "volumes", "snapshot", "snapshots", "invoice", "invoices", "document",
    "documents", "log", "logs", "census", "prescription", "prescriptions", "expediente", "expedientes", "grabacion", "grabaciones", "diario",
    "diarios", "archivo", "archivos", "fichero", "ficheros", "carpeta", "carpetas", "cuenta", "cuentas", "registro", "registros", "censo",
    "libro", "libros", "copias", "fotos", "correos", "mensajes", "contratos", "facturas", "documentos", "muestras",
];
/// What keeps somebody alive or something safe.
#[rustfmt::skip]
pub(super) const DEVICES: &[&str] = &[
    "monitor", "monitors", "ventilator", "ventilators", "pump", "pumps", "alarm", "alarms", "freezer", "sensor", "sensors", "drip", "incubator",
    "server", "servers", "generator", "boiler", "monitores", "respirador", "bomba", "bombas", "alarma", "alarmas", "congelador", "generador",
];
pub(super) const ANIMALS: &[&str] = &[
    "horse", "horses", "dog", "dogs", "cat", "cats", "cow", "cows", "calf", "calves", "sheep", "goat",
    "goats", "animal", "animals", "pig", "pigs", "caballo", "perro", "gato", "vaca", "ternero", "animal",
    "animales", "cerdo",
];
pub(super) const LAWSUITS: &[&str] = &[
    "divorce",
    "bankruptcy",
    "lawsuit",
    "suit",
    "charges",
    "patent",
    "appeal",
    "motion",
    "complaint",
    "claim",
    "injunction",
];
pub(super) const DOORS: &[&str] = &[
    "door", "doors", "gate", "gates", "vault", "safe", "cell", "cells", "account", "accounts", "car",
    "phone", "building", "house", "office", "network", "puerta", "puertas", "caja", "edificio", "oficina",
];
pub(super) const TREES: &[&str] = &[
    "tree",
    "trees",
    "oak",
    "oaks",
    "pine",
    "pines",
    "forest",
    "wood",
    "hedge",
    "hedges",
    "building",
    "greenhouse",
    "house",
    "barn",
    "bridge",
    "arbol",
    "arboles",
    "pino",
    "pinos",
    "roble",
    "robles",
    "bosque",
    "seto",
    "edificio",
    "invernadero",
    "casa",
    "puente",
];
/// What cooks, gardeners, reckoners, writers and musicians work on with the same verbs: no act, unless something that is kept
/// is named too. The classes are those that the words take back.
#[rustfmt::skip]
pub(super) const FIGURES: &[(&[RiskClass], &[&str])] = &[
    (&[Delete], &[
        "tree", "trees", "rose", "roses", "hedge", "hedges", "vine", "vines", "bush", "bushes", "shrub", "shrubs", "orchard", "weed", "weeds",
        "leaves", "manzano", "manzanos", "rosal", "rosales", "seto", "setos", "vinas", "huerto", "arbol", "arboles", "hojas", "malezas",
    ]),
    (&[Delete, Deploy, Irreversible], &[
        "dough", "oven", "pan", "pot", "bowl", "dish", "dishes", "dishwasher", "cake", "biscuits", "kitchen", "plates", "sauce", "egg", "eggs",
        "whites", "yolks", "seeds", "skins", "peel", "molde", "moldes", "masa", "horno", "plato", "platos", "cocina", "salsa", "cazo", "huevos",
        "whiteboard", "blackboard", "board", "pizarra",
    ]),
    (&[Delete, Deploy, Irreversible, Access, Money, Message], &[
        "equation", "equations", "fraction", "fractions", "denominator", "denominators", "numerator", "decimals", "determinant", "integral",
        "polynomial", "theorem", "ecuacion", "ecuaciones", "fraccion", "fracciones", "decimales",
        "hero", "heroine", "protagonist", "narrator", "villain", "character", "characters", "plot", "scene", "scenes", "stanza", "stanzas", "verse",
        "metaphor", "metaphors", "cliche", "cliches", "argument", "arguments", "hint", "hints", "joke", "jokes", "rhyme", "tension", "tears", "suspense",
        "tribute", "homage", "heed", "pencil", "melody", "chord", "chords", "harmony", "tuba", "trumpet", "guitar", "violin", "tune", "bar", "bars",
        "protagonista", "narrador", "personaje", "personajes", "escena", "estrofa", "estrofas", "metafora", "metaforas", "argumento", "cuento",
        "novela", "chiste", "rima", "homenaje", "aburrimiento", "melodia", "acorde", "acordes", "guitarra",
    ]),
];
/// What is gone when it is cleared or formatted; data and texts are only put in order.
#[rustfmt::skip]
pub(super) const CLEARED: &[&str] = &[
    "log", "logs", "file", "files", "folder", "folders", "directory", "disk", "disks", "drive", "bucket", "buckets", "database", "db", "inbox",
    "mailbox", "trash", "bin", "history", "backup", "backups", "server", "servers", "cluster", "volume", "volumes", "environment", "branches",
    "queue", "queues", "everything", "partition", "repository", "laptop", "phone", "machine", "snapshots", "resources", "archivos",
    "ficheros", "carpeta", "carpetas", "disco", "papelera", "buzon", "bandeja", "base", "servidor", "historial", "registros", "copias", "unidad",
    "memory", "sd", "usb", "ssd", "hdd", "tape", "tapes", "tarjeta", "tarjetas", "memoria", "pendrive", "cinta", "cintas",
];
/// What is made of paper or kept on a carrier: shredded, it is gone. Food is shredded too.
#[rustfmt::skip]
pub(super) const CARRIERS: &[&str] = &[
    "document", "documents", "paper", "papers", "paperwork", "file", "files", "record", "records", "letter", "letters", "contract", "contracts",
    "invoice", "invoices", "drive", "drives", "disk", "disks", "tape", "tapes", "archive", "archives", "evidence", "receipts", "folder", "folders",
    "documento", "documentos", "papel", "papeles", "expediente", "expedientes", "archivo", "archivos", "contrato", "contratos", "factura",
    "facturas", "disco", "discos", "cinta", "cintas", "prueba", "pruebas", "recibos", "it", "them", "everything", "todo", "backup", "backups", "data",
];
/// What flows or moves, and does harm where it should not.
#[rustfmt::skip]
pub(super) const FLOWS: &[&str] = &[
    "valve", "valves", "sluice", "floodgate", "floodgates", "gates", "breaker", "brake", "brakes", "valvula", "valvulas", "compuerta",
    "compuertas", "freno", "frenos", "interruptor",
];
pub(super) const SUPPLIES: &[&str] =
    &["luz", "agua", "gas", "corriente", "suministro", "electricidad", "calefaccion"];
pub(super) const TANKS: &[&str] = &[
    "tank",
    "tanks",
    "reservoir",
    "pool",
    "pond",
    "lagoon",
    "boiler",
    "deposito",
    "embalse",
    "piscina",
    "balsa",
];
pub(super) const GOODS: &[&str] = &[
    "sample",
    "samples",
    "package",
    "packages",
    "parcel",
    "parcels",
    "goods",
    "batch",
    "batches",
    "product",
    "products",
    "vehicle",
    "vehicles",
    "box",
    "boxes",
    "pallet",
    "pallets",
    "stock",
    "lote",
    "lotes",
    "paquete",
    "paquetes",
    "muestras",
    "productos",
    "cajas",
];
pub(super) const ANSWERED: &[&str] = &[
    "invitation",
    "invitations",
    "offer",
    "offers",
    "request",
    "requests",
    "application",
    "applications",
    "claim",
    "claims",
    "proposal",
    "invitacion",
    "invitaciones",
    "oferta",
    "ofertas",
    "solicitud",
    "solicitudes",
];
pub(super) const CURRENCIES: &[&str] =
    &["dollar", "dollars", "euro", "euros", "usd", "eur", "gbp", "pounds", "dolares", "libras", "pesos"];
pub(super) const PAPERS: &[&str] = &[
    "newspaper",
    "paper",
    "magazine",
    "gazette",
    "journal",
    "press",
    "radio",
    "tv",
    "periodico",
    "revista",
    "prensa",
];
pub(super) const KEYS: &[&str] = &[
    "keys",
    "key",
    "alarm",
    "passcode",
    "combination",
    "pin",
    "llave",
    "llaves",
    "clave",
    "claves",
    "alarma",
];
/// Where things are kept: what is taken out of one is gone, whatever it is.
#[rustfmt::skip]
pub(super) const STORES: &[&str] = &[
    "database", "databases", "db", "table", "tables", "bucket", "server", "servers", "disk", "drive", "production", "prod", "s3", "crm",
    "system", "cluster", "repository", "repo", "base", "tabla", "servidor", "disco", "produccion", "repositorio", "sistema", "mailbox",
    "inbox", "buzon", "cloud", "nube", "registry", "account", "cuenta", "storage",
];
/// Parts of texts and figures: taking one out of a draft destroys nothing.
#[rustfmt::skip]
pub(super) const TEXT_PARTS: &[&str] = &[
    "word", "words", "comma", "commas", "duplicate", "duplicates", "line", "lines", "sentence", "sentences", "paragraph", "paragraphs",
    "row", "rows", "column", "columns", "space", "spaces", "whitespace", "character", "characters", "outlier", "outliers", "heading",
    "headings", "section", "sections", "bullet", "bullets", "noise", "background", "header", "headers", "footer", "typo", "typos", "stop",
    "stopwords", "punctuation", "blank", "blanks", "null", "nulls", "formatting", "markup", "html", "quotes", "accents", "emoji", "emojis",
    "adjective", "adjectives", "adverbs", "slide", "slides", "chapter", "item", "items", "entry", "entries", "step", "steps", "value",
    "values", "digit", "digits", "prefix", "suffix", "ambiguity", "doubt", "doubts", "stains", "stain", "reference", "references", "jargon",
    "attention", "palabra", "palabras", "coma", "comas", "duplicado", "duplicados", "linea", "lineas", "frase", "frases", "parrafo", "parrafos",
    "fila", "filas", "columna", "columnas", "espacio", "espacios", "caracter", "caracteres", "fondo", "ruido", "acentos", "seccion",
    "titulo", "titulos", "valores", "repetidos", "repetidas", "dudas", "duda", "manchas", "mancha", "myths", "bias", "assumptions",
];
#[rustfmt::skip]
pub(super) const PEOPLE: &[&str] = &[
    "customer", "customers", "client", "clients", "user", "users", "team", "everyone", "everybody", "all", "boss", "manager", "managers",
    "subscriber", "subscribers", "employee", "employees", "staff", "colleague", "colleagues", "investor", "investors", "partner",
    "partners", "supplier", "suppliers", "vendor", "vendors", "landlord", "tenant", "tenants", "parents", "parent", "student", "students",
    "teacher", "teachers", "patient", "patients", "doctor", "lawyer", "press", "journalist", "journalists", "media", "candidate",
    "candidates", "applicant", "applicants", "ceo", "cto", "cfo", "hr", "board", "member", "members", "guest", "guests", "attendee",
    "attendees", "speaker", "speakers", "mom", "dad", "mother", "father", "wife", "husband", "friend", "friends", "him", "her", "people",
    "person", "someone", "somebody", "recipient", "recipients", "contacts", "contact", "owner", "owners", "support", "sales", "legal",
    "authorities", "police", "accountant", "neighbour", "neighbours", "neighbor", "neighbors", "buyer", "buyers", "reviewer", "reviewers",
    "stakeholder", "stakeholders", "volunteers", "donors", "lead", "leads", "prospect", "prospects", "mailing", "followers", "audience",
    "cliente", "clientes", "usuario", "usuarios", "equipo", "todos", "todas", "jefe", "jefa", "empleado", "empleados", "companeros",
    "inversores", "socio", "socios", "proveedor", "proveedores", "alumno", "alumnos", "padres", "madre", "padre", "paciente",
    "pacientes", "prensa", "candidatos", "miembros", "invitados", "amigos", "gente", "suscriptores", "contactos", "abogado", "gestor",
    "vecinos", "profesor", "medico", "gestoria", "ellos", "ellas",
    "plumber", "electrician", "carpenter", "dentist", "nurse", "nurses", "gardener", "cleaner", "mechanic", "janitor", "caretaker", "vet",
    "pharmacist", "coach", "mayor", "department", "departments", "auditor", "auditors", "trainee", "trainees", "intern", "interns",
    "contractor", "contractors", "sister", "brother", "son", "daughter", "uncle", "aunt", "grandmother", "grandfather", "family", "council",
    "fontanero", "electricista", "carpintero", "dentista", "enfermera", "jardinero", "mecanico", "conserje", "veterinario",
    "farmaceutico", "entrenador", "alcalde", "departamento", "plantilla", "becario", "becarios", "hermano", "hermana", "hijo", "hija",
    "tio", "tia", "abuelo", "abuela", "familia", "ayuntamiento", "vecino", "vecina", "inquilino", "inquilinos", "casero", "maestra",
    "maestro", "profesora", "abogada", "medica", "contable",
];
/// What keeps others out.
#[rustfmt::skip]
pub(super) const LOCKS: &[&str] = &[
    "authentication", "two-factor", "2fa", "mfa", "encryption", "firewall", "password", "passwords", "login", "antivirus",
];
/// What a machine starts with: a wrong one makes it useless.
pub(super) const FIRMWARE: &[&str] = &["firmware", "bios", "bootloader", "microcode"];
/// What people hold until they give it up.
#[rustfmt::skip]
pub(super) const OFFICES: &[&str] = &[
    "committee", "board", "job", "post", "position", "office", "chair", "treasurer", "president", "secretary", "membership", "role", "club",
    "cargo", "puesto", "comite", "presidencia", "trabajo", "junta", "herencia",
];
/// What is offered in shops of programs.
#[rustfmt::skip]
pub(super) const PRODUCTS: &[&str] = &[
    "app", "apps", "application", "game", "build", "package", "plugin", "extension", "version", "release", "aplicacion", "juego", "paquete",
    "extension", "complemento",
];
/// What is open to everybody.
#[rustfmt::skip]
pub(super) const OPEN_TO_ALL: &[&str] = &[
    "public", "world-readable", "world-writable", "publico", "publica", "publicos", "publicas",
];
/// Who may do everything.
#[rustfmt::skip]
pub(super) const MASTERS: &[&str] = &[
    "admin", "admins", "administrator", "administrators", "owner", "owners", "sudoers", "superuser", "superusers", "root", "administrador",
    "administradora", "administradores", "propietario", "propietaria", "propietarios",
];
/// What is sent to people and to nothing else.
#[rustfmt::skip]
pub(super) const LETTERS: &[&str] = &[
    "email", "emails", "mail", "mails", "e-mail", "message", "messages", "letter", "letters", "newsletter", "sms",
    "invitation", "invitations", "invite", "invites", "reminder", "reminders", "dm", "tweet", "whatsapp", "telegram", "slack", "fax",
    "postcard", "campaign", "announcement", "correo", "correos", "mensaje", "mensajes", "carta", "cartas", "boletin", "invitacion",
    "invitaciones", "recordatorio", "recordatorios", "aviso", "avisos", "comunicado", "resignation",
];
#[rustfmt::skip]
pub(super) const CHANNELS: &[&str] = &[
    "slack", "twitter", "linkedin", "facebook", "instagram", "reddit", "blog", "channel", "channels", "forum", "social", "tweet", "tiktok",
    "mastodon", "bluesky", "discord", "teams", "youtube", "group", "chat", "timeline", "wall", "canal", "redes", "grupo", "foro", "hn",
    "newsletter", "#general", "x", "comment", "comments", "reply", "review", "board", "publicly", "online",
];
#[rustfmt::skip]
pub(super) const SECRETS: &[&str] = &[
    "password", "passwords", "passphrase", "secret", "secrets", "credential", "credentials", "token", "tokens", "key", "keys", "apikey",
    "certificate", "certificates", "cert", "certs", "2fa", "mfa", "pin", "env", ".env", "contrasena", "contrasenas", "secretos",
    "secreto", "credenciales", "clave", "claves", "certificado", "certificados",
];
#[rustfmt::skip]
pub(super) const RIGHTS: &[&str] = &[
    "access", "permission", "permissions", "role", "roles", "admin", "administrator", "rights", "privilege", "privileges", "sudo", "root",
    "owner", "write", "acl", "acls", "firewall", "policy", "policies", "iam", "acceso", "permiso", "permisos", "rol", "roles",
    "administrador", "derechos", "privilegios", "cortafuegos", "membership", "superuser",
];
#[rustfmt::skip]
pub(super) const SUMS: &[&str] = &[
    "money", "funds", "usd", "eur", "gbp", "dollar", "dollars", "euro", "euros", "pounds", "bitcoin", "btc", "eth", "payment", "payments",
    "deposit", "salary", "salaries", "rent", "fee", "balance", "amount", "invoice", "invoices", "bill", "bills", "card", "cards", "iban",
    "dinero", "fondos", "pago", "pagos", "salario", "salarios", "nominas", "alquiler", "saldo", "importe", "factura", "facturas",
    "tarjeta", "sum", "wire", "cash", "savings", "ahorros", "nomina", "refund", "reembolso", "cuota", "expense", "expenses",
];
pub(super) const LIVE: &[&str] = &["production", "prod", "live", "produccion"];
#[rustfmt::skip]
pub(super) const RELEASES: &[&str] = &[
    "production", "prod", "live", "version", "app", "application", "build", "package", "site", "website", "service", "customers", "users",
    "public", "crate", "library", "image", "update", "patch", "hotfix", "release", "feature", "model", "api", "binary", "campaign",
    "firmware", "stores", "store", "npm", "pypi", "it", "everyone", "produccion", "sitio", "web", "aplicacion", "servicio", "paquete",
    "actualizacion", "campana", "v2",
];
#[rustfmt::skip]
pub(super) const MACHINES: &[&str] = &[
    "server", "servers", "database", "db", "cluster", "machine", "machines", "host", "hosts", "production", "prod", "system", "systems",
    "service", "services", "node", "nodes", "instance", "instances", "vm", "router", "down", "off", "servidor", "servidores", "base",
    "sistema", "maquina", "servicio", "servicios", "process", "processes", "procesos", "website", "site", "plant", "reactor", "pump",
];
#[rustfmt::skip]
pub(super) const TERMS: &[&str] = &[
    "contract", "contracts", "agreement", "lease", "deal", "nda", "terms", "offer", "order", "orders", "subscription", "subscriptions",
    "reservation", "reservations", "booking", "bookings", "appointment", "account", "accounts", "policy", "membership", "meeting",
    "contrato", "contratos", "acuerdo", "suscripcion", "suscripciones", "reserva", "reservas", "cita", "cuenta", "cuentas", "pedido",
    "pedidos", "poliza", "convenio", "pacto", "treaty", "settlement", "deed", "escritura", "testamento", "wedding", "boda", "license", "licence", "mortgage", "loan", "hipoteca", "prestamo", "event", "position", "positions",
];
#[rustfmt::skip]
pub(super) const FILINGS: &[&str] = &[
    "application", "form", "tax", "taxes", "return", "claim", "bid", "resignation", "proposal", "paper", "complaint", "vote", "petition",
    "solicitud", "formulario", "declaracion", "impuestos", "reclamacion", "oferta", "renuncia", "denuncia", "instancia", "app",
];

/// What is sent to these is handed on inside a program.
#[rustfmt::skip]
pub(super) const MACHINERY: &[&str] = &[
    "api", "url", "http", "s3", "db", "database", "server", "endpoint", "queue", "service", "webhook", "json", "csv", "step", "steps",
    "agent", "agents", "function", "module", "stdout", "log", "logs", "parser", "model", "models", "printer", "next", "pipeline", "output",
    "file", "files", "kafka", "redis", "validator", "stage", "task", "tasks", "console", "terminal", "screen", "folder", "buffer", "cache",
    "paso", "agente", "tarea", "archivo", "fichero", "carpeta", "servidor", "pantalla", "cola", "siguiente", "llm", "get", "post", "put", "request", "requests", "sandbox", "worker",
];

/// Whether something is kept there.
pub(super) fn is_store(word: &str) -> bool {
    STORES.contains(&word)
}
