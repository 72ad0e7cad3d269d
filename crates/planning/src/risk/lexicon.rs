//! Verbs of acts that cannot be taken back, in English and Spanish, with the objects that make them such acts.
//!
//! Everything is written folded: lower case, no accents.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use candor_model::RiskClass;

use RiskClass::{Access, Delete, Deploy, Irreversible, Message, Money};

/// What must stand beside a verb for it to count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Needs {
    /// Some object that is no part of a text.
    Object,
    /// One of these, as its object: before any preposition.
    Direct(&'static [&'static [&'static str]]),
    /// One of these anywhere in its clause.
    Near(&'static [&'static [&'static str]]),
    /// An article, a pronoun or a number right after it: the word is a noun as often as a verb.
    Determined,
    /// People, an address, or something that is sent to people.
    Recipient,
    /// The name of an act and what it is done to: "deletion of accounts", "deployment to production".
    Nominal,
    /// A person right after it: the word is a noun as often as a verb.
    Person,
}

/// One reading of a verb.
#[derive(Debug, Clone, Copy)]
pub(super) struct Verb {
    pub(super) class: RiskClass,
    pub(super) needs: Needs,
}

/// How a form of a verb is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// An order or an infinitive: `delete`, `borra`, `borrar`.
    Base,
    /// `deletes`, `deleting`, `borrando`: an act only at the beginning of a clause.
    Head,
    /// `deleted`: an act only after `be`, `get`, `ser`.
    Participle,
}

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
    "machine", "machines", "host", "hosts", "device", "devices", "laptop", "phone", "session", "sessions", "crm", "webhook", "webhooks",
    "it", "them", "these", "those", "all",
];
/// What is gone when it is cleared or formatted; data and texts are only put in order.
#[rustfmt::skip]
const CLEARED: &[&str] = &[
    "log", "logs", "file", "files", "folder", "folders", "directory", "disk", "disks", "drive", "bucket", "buckets", "database", "db", "inbox",
    "mailbox", "trash", "bin", "history", "backup", "backups", "server", "servers", "cluster", "volume", "volumes", "environment", "branches",
    "queue", "queues", "everything", "partition", "repository", "laptop", "phone", "machine", "snapshots", "resources", "archivos",
    "ficheros", "carpeta", "carpetas", "disco", "papelera", "buzon", "bandeja", "base", "servidor", "historial", "registros", "copias", "unidad",
    "memory", "sd", "usb", "ssd", "hdd", "tape", "tapes", "tarjeta", "tarjetas", "memoria", "pendrive", "cinta", "cintas",
];
/// What is made of paper or kept on a carrier: shredded, it is gone. Food is shredded too.
#[rustfmt::skip]
const CARRIERS: &[&str] = &[
    "document", "documents", "paper", "papers", "paperwork", "file", "files", "record", "records", "letter", "letters", "contract", "contracts",
    "invoice", "invoices", "drive", "drives", "disk", "disks", "tape", "tapes", "archive", "archives", "evidence", "receipts", "folder", "folders",
    "documento", "documentos", "papel", "papeles", "expediente", "expedientes", "archivo", "archivos", "contrato", "contratos", "factura",
    "facturas", "disco", "discos", "cinta", "cintas", "prueba", "pruebas", "recibos", "it", "them", "everything", "todo", "backup", "backups", "data",
];
/// What flows or moves, and does harm where it should not.
#[rustfmt::skip]
const FLOWS: &[&str] = &[
    "valve", "valves", "sluice", "floodgate", "floodgates", "gates", "breaker", "brake", "brakes", "valvula", "valvulas", "compuerta",
    "compuertas", "freno", "frenos", "interruptor",
];
const SUPPLIES: &[&str] = &["luz", "agua", "gas", "corriente", "suministro", "electricidad", "calefaccion"];
const TANKS: &[&str] = &[
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
const GOODS: &[&str] = &[
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
const ANSWERED: &[&str] = &[
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
const CURRENCIES: &[&str] =
    &["dollar", "dollars", "euro", "euros", "usd", "eur", "gbp", "pounds", "dolares", "libras", "pesos"];
const PAPERS: &[&str] = &[
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
const KEYS: &[&str] = &["keys", "key", "llave", "llaves"];
/// Where things are kept: what is taken out of one is gone, whatever it is.
#[rustfmt::skip]
const STORES: &[&str] = &[
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
const CHANNELS: &[&str] = &[
    "slack", "twitter", "linkedin", "facebook", "instagram", "reddit", "blog", "channel", "channels", "forum", "social", "tweet", "tiktok",
    "mastodon", "bluesky", "discord", "teams", "youtube", "group", "chat", "timeline", "wall", "canal", "redes", "grupo", "foro", "hn",
    "newsletter", "#general", "x", "comment", "comments", "reply", "review", "board", "publicly", "online",
];
#[rustfmt::skip]
const SECRETS: &[&str] = &[
    "password", "passwords", "passphrase", "secret", "secrets", "credential", "credentials", "token", "tokens", "key", "keys", "apikey",
    "certificate", "certificates", "cert", "certs", "2fa", "mfa", "pin", "env", ".env", "contrasena", "contrasenas", "secretos",
    "secreto", "credenciales", "clave", "claves", "certificado", "certificados",
];
#[rustfmt::skip]
const RIGHTS: &[&str] = &[
    "access", "permission", "permissions", "role", "roles", "admin", "administrator", "rights", "privilege", "privileges", "sudo", "root",
    "owner", "write", "acl", "acls", "firewall", "policy", "policies", "iam", "acceso", "permiso", "permisos", "rol", "roles",
    "administrador", "derechos", "privilegios", "cortafuegos", "membership", "superuser",
];
#[rustfmt::skip]
const SUMS: &[&str] = &[
    "money", "funds", "usd", "eur", "gbp", "dollar", "dollars", "euro", "euros", "pounds", "bitcoin", "btc", "eth", "payment", "payments",
    "deposit", "salary", "salaries", "rent", "fee", "balance", "amount", "invoice", "invoices", "bill", "bills", "card", "cards", "iban",
    "dinero", "fondos", "pago", "pagos", "salario", "salarios", "nominas", "alquiler", "saldo", "importe", "factura", "facturas",
    "tarjeta", "sum", "wire", "cash", "savings", "ahorros", "nomina", "refund", "reembolso", "cuota", "expense", "expenses",
];
const LIVE: &[&str] = &["production", "prod", "live", "produccion"];
#[rustfmt::skip]
const RELEASES: &[&str] = &[
    "production", "prod", "live", "version", "app", "application", "build", "package", "site", "website", "service", "customers", "users",
    "public", "crate", "library", "image", "update", "patch", "hotfix", "release", "feature", "model", "api", "binary", "campaign",
    "firmware", "stores", "store", "npm", "pypi", "it", "everyone", "produccion", "sitio", "web", "aplicacion", "servicio", "paquete",
    "actualizacion", "campana", "v2",
];
#[rustfmt::skip]
const MACHINES: &[&str] = &[
    "server", "servers", "database", "db", "cluster", "machine", "machines", "host", "hosts", "production", "prod", "system", "systems",
    "service", "services", "node", "nodes", "instance", "instances", "vm", "router", "down", "off", "servidor", "servidores", "base",
    "sistema", "maquina", "servicio", "servicios", "process", "processes", "procesos", "website", "site", "plant", "reactor", "pump",
];
#[rustfmt::skip]
const TERMS: &[&str] = &[
    "contract", "contracts", "agreement", "lease", "deal", "nda", "terms", "offer", "order", "orders", "subscription", "subscriptions",
    "reservation", "reservations", "booking", "bookings", "appointment", "account", "accounts", "policy", "membership", "meeting",
    "contrato", "contratos", "acuerdo", "suscripcion", "suscripciones", "reserva", "reservas", "cita", "cuenta", "cuentas", "pedido",
    "pedidos", "poliza", "license", "licence", "mortgage", "loan", "hipoteca", "prestamo", "event", "position", "positions",
];
#[rustfmt::skip]
const FILINGS: &[&str] = &[
    "application", "form", "tax", "taxes", "return", "claim", "bid", "resignation", "proposal", "paper", "complaint", "vote", "petition",
    "solicitud", "formulario", "declaracion", "impuestos", "reclamacion", "oferta", "renuncia", "denuncia", "instancia", "app",
];

type Row = (RiskClass, Needs, &'static str);

/// The English verbs; a form that the rules of spelling do not give follows after `:`.
#[rustfmt::skip]
const ENGLISH: &[Row] = &[
    (Delete, Needs::Object, "delete erase wipe purge destroy obliterate expunge nuke decommission deprovision annihilate unpublish incinerate unlist delist"),
    (Delete, Needs::Near(&[&["out"]]), "zero"),
    (Delete, Needs::Direct(&[&["ticket", "tickets", "order", "orders"]]), "scrap"),
    (Delete, Needs::Direct(&[CARRIERS]), "shred burn scrap pulp"),
    (Delete, Needs::Near(&[&["of"]]), "dispose"),
    (Delete, Needs::Direct(&[ASSETS]), "remove drop empty prune flush discard trash uninstall unlink terminate eliminate reset truncate throw evict deregister unregister"),
    (Delete, Needs::Direct(&[CLEARED]), "clear clean format scrub"),
    (Delete, Needs::Nominal, "deletion removal erasure purging destruction"),
    (Deploy, Needs::Nominal, "deployment rollout"),
    (Money, Needs::Nominal, "payment repayment"),
    (Delete, Needs::Near(&[&["rid"]]), "get"),
    (Delete, Needs::Near(&[&["down"]]), "tear take:taking"),
    (Irreversible, Needs::Near(&[&["offline"]]), "take:taking bring put"),
    (Irreversible, Needs::Near(&[&["back"]]), "roll revert"),
    (Irreversible, Needs::Near(&[TANKS]), "drain empty flood"),
    (Irreversible, Needs::Direct(&[GOODS]), "recall ship dispatch"),
    (Irreversible, Needs::Direct(&[ANSWERED]), "decline reject accept withdraw"),
    (Irreversible, Needs::Direct(&[FILINGS]), "withdraw retract"),
    (Irreversible, Needs::Direct(&[TERMS]), "extend"),
    (Irreversible, Needs::Near(&[PEOPLE, &["class"]]), "enrol enroll inject administer vaccinate"),
    (Irreversible, Needs::Direct(&[&["drone", "drones", "rocket", "missile", "torpedo"]]), "launch fire"),
    (Irreversible, Needs::Nominal, "demolition eviction euthanasia"),
    (Deploy, Needs::Object, "deploy redeploy"),
    (Deploy, Needs::Near(&[RELEASES]), "release ship publish launch promote"),
    (Deploy, Needs::Near(&[&["out"]]), "roll"),
    (Deploy, Needs::Near(&[LIVE]), "go push update upgrade restart change modify patch configure migrate scale edit alter switch apply install merge move copy"),
    (Irreversible, Needs::Object, "overwrite"),
    (Irreversible, Needs::Near(&[&["force", "forced", "--force", "-f"]]), "push"),
    (Irreversible, Needs::Near(&[&["history"]]), "rewrite"),
    (Irreversible, Needs::Near(&[MACHINES]), "shut:shutting reboot kill halt power stop"),
    (Irreversible, Needs::Direct(&[TERMS]), "cancel sign accept terminate close rescind"),
    (Irreversible, Needs::Direct(&[FILINGS]), "submit lodge"),
    (Irreversible, Needs::Near(&[&["off"]]), "turn switch cut:cutting"),
    (Irreversible, Needs::Near(&[FLOWS]), "open release close shut disengage"),
    (Irreversible, Needs::Object, "euthanise euthanize slaughter demolish bulldoze detonate amputate"),
    (Irreversible, Needs::Direct(&[PEOPLE]), "fire dismiss sack hire expel evict discharge unsubscribe"),
    (Access, Needs::Direct(&[PEOPLE, ASSETS]), "ban block suspend deactivate disconnect"),
    (Access, Needs::Object, "whitelist allowlist blacklist"),
    (Access, Needs::Near(&[KEYS]), "hand surrender"),
    (Access, Needs::Near(&[RIGHTS, SECRETS]), "grant revoke give assign change rotate reset disable remove escalate elevate modify reveal leak exfiltrate expose regenerate invalidate"),
    (Access, Needs::Direct(&[SECRETS]), "print export dump upload copy steal hand pass divulge disclose publish share surrender"),
    (Access, Needs::Near(&[&["public", "admin", "administrator", "owner", "sudoers", "superuser"]]), "make add promote set"),
    (Access, Needs::Near(&[&["ssh", "api", "iam", "admin", "sudo"]]), "create generate:generating"),
    (Access, Needs::Near(&[&["port", "ports", "firewall", "internet"]]), "open expose"),
    (Access, Needs::Near(&[PEOPLE, &["anyone", "public", "world", "link"]]), "share"),
    (Money, Needs::Near(&[SUMS]), "transfer wire:wiring charge move withdraw deposit settle approve issue send:sending spend:spending lend bet top"),
    (Money, Needs::Object, "pay:paying buy purchase refund reimburse subscribe donate invest remit disburse wager"),
    (Money, Needs::Near(&[&["order", "orders", "bid", "payment", "purchase", "donation", "transfer", "bet"]]), "place make"),
    (Money, Needs::Determined, "book reserve order sell"),
    (Money, Needs::Near(&[CURRENCIES]), "put place"),
    (Money, Needs::Near(&[TERMS, &["domain", "plan"]]), "renew"),
    (Message, Needs::Recipient, "send forward notify tell invite remind broadcast inform"),
    (Message, Needs::Person, "email mail message text dm ping contact alert call phone ring reply respond"),
    (Message, Needs::Near(&[PAPERS]), "publish announce"),
    (Message, Needs::Determined, "tweet broadcast"),
    (Message, Needs::Near(&[CHANNELS]), "post publish tweet announce share comment"),
    (Message, Needs::Near(&[&["know"]]), "let:letting"),
    (Message, Needs::Near(&[LETTERS]), "fire shoot hand blast circulate distribute deliver dispatch drop"),
    (Message, Needs::Near(&[PEOPLE]), "circulate blast"),
    (Message, Needs::Near(&[&["out"]]), "reach"),
];

/// The Spanish verbs, as infinitives; forms with another stem follow after `:`.
#[rustfmt::skip]
const SPANISH: &[Row] = &[
    (Delete, Needs::Object, "borrar eliminar destruir:destruye:destruya suprimir purgar vaciar aniquilar desinstalar"),
    (Delete, Needs::Direct(&[ASSETS]), "quitar tirar descartar truncar retirar resetear"),
    (Delete, Needs::Direct(&[CLEARED]), "limpiar formatear"),
    (Delete, Needs::Direct(&[CARRIERS]), "triturar incinerar quemar"),
    (Delete, Needs::Object, ":deshazte:deshacerse"),
    (Delete, Needs::Nominal, ":eliminacion:borrado:supresion"),
    (Deploy, Needs::Nominal, ":despliegue"),
    (Money, Needs::Nominal, ":pago"),
    (Deploy, Needs::Object, "desplegar:despliega:despliegue:desplieguen"),
    (Deploy, Needs::Near(&[RELEASES]), "publicar lanzar liberar promover:promueve"),
    (Deploy, Needs::Near(&[LIVE]), "subir poner:pon:ponga pasar actualizar reiniciar cambiar modificar migrar aplicar instalar llevar"),
    (Irreversible, Needs::Object, "sobrescribir sobreescribir"),
    (Irreversible, Needs::Near(&[MACHINES]), "apagar detener:deten:detenga parar matar"),
    (Irreversible, Needs::Direct(&[TERMS]), "cancelar firmar aceptar rescindir cerrar:cierra:cierre anular prorrogar"),
    (Irreversible, Needs::Direct(&[ANSWERED]), "rechazar aceptar"),
    (Irreversible, Needs::Direct(&[PEOPLE]), "retirar matricular"),
    (Irreversible, Needs::Near(&[TANKS]), "vaciar drenar"),
    (Irreversible, Needs::Direct(&[GOODS]), "enviar despachar"),
    (Access, Needs::Near(&[KEYS]), "entregar"),
    (Message, Needs::Near(&[&["portal", "web"]]), "subir colgar:cuelga"),
    (Irreversible, Needs::Direct(&[FILINGS]), "presentar"),
    (Irreversible, Needs::Near(&[&["baja"]]), "dar:da:dale"),
    (Irreversible, Needs::Near(&[SUPPLIES]), "cortar apagar"),
    (Irreversible, Needs::Near(&[FLOWS]), "abrir cerrar:cierra soltar:suelta"),
    (Irreversible, Needs::Object, "sacrificar demoler:demuele detonar"),
    (Irreversible, Needs::Direct(&[PEOPLE]), "despedir:despide:despida expulsar"),
    (Access, Needs::Direct(&[PEOPLE, ASSETS]), "bloquear suspender"),
    (Access, Needs::Near(&[RIGHTS, SECRETS]), "conceder otorgar revocar dar:da:de:dale asignar cambiar rotar restablecer:restablezca desactivar quitar modificar revelar filtrar exportar repartir entregar divulgar"),
    (Access, Needs::Near(&[&["publico", "publica", "administrador", "admin", "propietario"]]), "hacer:haz:haga anadir poner:pon convertir:convierte"),
    (Access, Needs::Near(&[&["puerto", "puertos", "cortafuegos", "internet"]]), "abrir exponer:expon"),
    (Access, Needs::Near(&[PEOPLE, &["cualquiera", "enlace"]]), "compartir"),
    (Money, Needs::Near(&[SUMS]), "transferir:transfiere:transfiera cobrar retirar ingresar liquidar aprobar:aprueba enviar mandar"),
    (Money, Needs::Object, "pagar comprar abonar reembolsar donar invertir:invierte suscribir"),
    (Money, Needs::Determined, "reservar encargar vender contratar"),
    (Money, Needs::Near(&[TERMS]), "renovar:renueva:renueve"),
    (Message, Needs::Recipient, "enviar mandar responder reenviar avisar notificar contactar llamar invitar informar comunicar contestar decir:di:diga"),
    (Message, Needs::Near(&[CHANNELS]), "publicar tuitear anunciar postear"),
];

/// Every form of every verb, with its readings.
pub(super) static FORMS: LazyLock<BTreeMap<String, Vec<(Form, Verb)>>> = LazyLock::new(|| {
    let mut forms: BTreeMap<String, Vec<(Form, Verb)>> = BTreeMap::new();
    let mut add = |form: String, kind: Form, (class, needs, _): &Row| {
        forms.entry(form).or_default().push((kind, Verb { class: *class, needs: *needs }));
    };
    for row in ENGLISH {
        row.2.split(' ').for_each(|verb| english(verb, &mut |form, kind| add(form, kind, row)));
    }
    for row in SPANISH {
        row.2.split(' ').for_each(|verb| spanish(verb, &mut |form, kind| add(form, kind, row)));
    }
    forms
});

fn english(verb: &str, add: &mut dyn FnMut(String, Form)) {
    let mut parts = verb.split(':');
    let base = parts.next().unwrap_or_default();
    parts.for_each(|form| add(form.to_owned(), Form::Head));
    add(base.to_owned(), Form::Base);
    let last = base.chars().next_back().unwrap_or_default();
    let stem = base.strip_suffix('e').unwrap_or(base);
    let doubled = format!("{base}{last}");
    for stem in [stem, doubled.as_str()] {
        add(format!("{stem}ing"), Form::Head);
        add(format!("{stem}ed"), Form::Participle);
    }
    match base.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
        Some(stem) => {
            add(format!("{stem}ies"), Form::Head);
            add(format!("{stem}ied"), Form::Participle);
        }
        None => {
            add(format!("{base}s"), Form::Head);
            add(format!("{base}es"), Form::Head);
        }
    }
    if let Some((_, participle)) = IRREGULAR.iter().find(|(irregular, _)| *irregular == base) {
        add((*participle).to_owned(), Form::Participle);
    }
}

const IRREGULAR: &[(&str, &str)] = &[
    ("send", "sent"),
    ("pay", "paid"),
    ("buy", "bought"),
    ("sell", "sold"),
    ("give", "given"),
    ("tear", "torn"),
    ("take", "taken"),
    ("shut", "shut"),
    ("reset", "reset"),
    ("tell", "told"),
    ("write", "written"),
    ("overwrite", "overwritten"),
    ("withdraw", "withdrawn"),
    ("let", "let"),
    ("steal", "stolen"),
    ("spend", "spent"),
    ("lend", "lent"),
    ("cut", "cut"),
];

fn spanish(verb: &str, add: &mut dyn FnMut(String, Form)) {
    let mut parts = verb.split(':');
    let infinitive = parts.next().unwrap_or_default();
    parts.for_each(|form| add(form.to_owned(), Form::Base));
    if infinitive.is_empty() {
        return;
    }
    add(infinitive.to_owned(), Form::Base);
    let Some((stem, ending)) = infinitive.split_at_checked(infinitive.len().saturating_sub(2)) else {
        return;
    };
    // The stem keeps its sound before an e.
    let soft = match stem.chars().next_back() {
        Some('g') => format!("{stem}u"),
        Some('c') => format!("{}qu", stem.trim_end_matches('c')),
        Some('z') => format!("{}c", stem.trim_end_matches('z')),
        _ => stem.to_owned(),
    };
    let (orders, gerund, participle): (Vec<String>, _, _) = match ending {
        "ar" => (
            vec![
                format!("{stem}a"),
                format!("{soft}e"),
                format!("{soft}en"),
                format!("{stem}ad"),
                format!("{soft}es"),
            ],
            "ando",
            "ad",
        ),
        _ => (
            vec![
                format!("{stem}e"),
                format!("{stem}a"),
                format!("{stem}an"),
                format!("{stem}id"),
                format!("{stem}as"),
            ],
            "iendo",
            "id",
        ),
    };
    orders.into_iter().for_each(|form| add(form, Form::Base));
    add(format!("{stem}{gerund}"), Form::Head);
    for end in ["o", "a", "os", "as"] {
        add(format!("{stem}{participle}{end}"), Form::Participle);
    }
}

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
