//! The words that the evaluation knows, in English and Spanish, folded: lower case, without accents.

use candor_text::WordSet;

/// Whether a table has a word.
pub(super) fn has(table: &[&str], key: &str) -> bool {
    table.contains(&key)
}

/// Words that stand before a noun.
#[rustfmt::skip]
pub(super) static DETERMINERS: WordSet = WordSet::new(&[
    "a", "an", "the", "my", "our", "your", "his", "her", "their", "its", "this", "that", "these", "those", "some",
    "all", "every", "each", "any", "no", "another", "new", "un", "una", "el", "la", "los", "las", "mi", "mis",
    "nuestro", "nuestra", "su", "sus", "este", "esta", "estos", "estas", "ese", "esa", "cada", "todos", "todas",
]);

/// Small words that stand before a noun and say how it belongs to the rest.
#[rustfmt::skip]
pub(super) static PREPOSITIONS: WordSet = WordSet::new(&[
    "of", "about", "for", "in", "on", "with", "without", "from", "by", "at", "into", "per", "de", "del", "sobre",
    "para", "en", "con", "sin", "desde", "por",
]);

/// Words of politeness and wishing, before what is really asked for.
#[rustfmt::skip]
pub(super) static POLITE: WordSet = WordSet::new(&[
    "please", "kindly", "can", "could", "would", "will", "you", "i", "i'd", "we", "we'd", "want", "need", "like",
    "to", "help", "me", "us", "hi", "hello", "hey", "just", "let's", "por", "favor", "puedes", "podrias", "puede",
    "quiero", "quisiera", "necesito", "necesitamos", "queremos", "hola", "que", "ayudame", "a", "me", "gustaria",
]);

/// Words that carry no matter of their own, although they are no small words.
#[rustfmt::skip]
pub(super) static FILLERS: WordSet = WordSet::new(&[
    "please", "want", "need", "like", "help", "better", "good", "nice", "great", "best", "well", "thanks", "hi",
    "hello", "hey", "sure", "okay", "ok", "really", "maybe", "asap", "now", "quickly", "again", "mejor", "bueno",
    "bien", "hola", "gracias", "favor", "quiero", "necesito", "quisiera", "ayuda", "ayudame", "bonito", "haz",
    "i'd", "i'm", "we'd", "it's", "that's", "let's", "don't", "can't", "doesn't", "isn't", "won't", "whatever",
    "what's", "nothing", "anymore", "somehow", "eso", "esto", "aquello", "puedes", "podrias",
]);

/// Nouns that name nothing in particular.
#[rustfmt::skip]
pub(super) static GENERIC: WordSet = WordSet::new(&[
    "thing", "things", "something", "anything", "everything", "stuff", "it", "one", "ones", "way", "ways", "work",
    "job", "task", "tasks", "problem", "problems", "issue", "issues", "bug", "bugs", "error", "errors", "code",
    "app", "application", "program", "project", "system", "software", "site", "website", "page", "function",
    "file", "files", "feature", "features", "tests", "test", "data", "text", "part", "parts", "bit", "lot", "kind",
    "idea", "ideas", "version", "performance", "quality", "design", "user", "users", "experience", "full",
    "complete", "whole", "cosa", "cosas", "algo", "todo", "problema", "problemas", "fallo", "fallos", "codigo",
    "aplicacion", "programa", "proyecto", "sistema", "pagina", "funcion", "archivo", "archivos", "fichero",
    "pruebas", "datos", "texto", "parte", "error", "rendimiento", "calidad", "usuario",
]);

/// Verbs that say nothing of what is to be done.
#[rustfmt::skip]
pub(super) static EMPTY_VERBS: WordSet = WordSet::new(&[
    "do", "make", "help", "handle", "go", "get", "be", "have", "let", "take", "set", "look", "see", "put", "work",
    "haz", "hacer", "dame",
]);

/// Verbs after which it is open when they are done, unless it is said.
#[rustfmt::skip]
pub(super) static OPEN_VERBS: WordSet = WordSet::new(&[
    "fix", "improve", "optimize", "optimise", "enhance", "change", "update", "handle", "do", "make", "help", "clean",
    "refactor", "rework", "debug", "adjust", "modify", "tweak", "upgrade", "look", "check", "work", "simplify",
    "arregla", "arreglar", "mejora", "mejorar", "optimiza", "cambia", "cambiar", "actualiza", "actualizar", "corrige",
    "corregir", "modifica", "refactoriza", "haz", "hacer", "revisa", "revisar",
]);

/// Verbs of everyday requests that the splitter of steps has no need to know.
#[rustfmt::skip]
pub(super) static MORE_VERBS: WordSet = WordSet::new(&[
    "reduce", "increase", "raise", "lower", "decrease", "minimise", "minimize", "maximise", "maximize", "shorten",
    "expand", "extend", "speed", "trim", "groom", "feed", "walk", "water", "plant", "prune", "teach", "bring", "carry",
    "drive", "cook", "knit", "sew", "mow", "iron", "decorate", "celebrate", "proofread", "brainstorm", "advise",
    "document", "benchmark", "profile", "automate", "localise", "localize", "organise", "prioritise", "prioritize",
    "categorise", "visualise", "normalise", "customise", "customize", "paraphrase", "rephrase", "illustrate", "sing",
    "highlight", "quote", "vote", "nominate", "list", "describe", "explain", "identify", "reduce", "reducir",
    "aumenta", "aumentar", "sube", "baja", "bajar", "describe", "explica", "explicar", "enumera", "enumerar", "cocina",
    "cocinar", "riega", "pinta", "ensena", "documenta", "automatiza", "resume", "dibuja", "canta",
]);

/// Verbs of building and rebuilding.
#[rustfmt::skip]
pub(super) static BUILDING: WordSet = WordSet::new(&[
    "build", "create", "implement", "develop", "write", "add", "design", "refactor", "rewrite", "rebuild", "migrate",
    "integrate", "port", "restructure", "reorganize", "convert", "replace", "extend", "deploy", "automate", "generate",
    "construye", "construir", "crea", "crear", "implementa", "implementar", "desarrolla", "desarrollar", "escribe",
    "escribir", "anade", "anadir", "disena", "disenar", "refactoriza", "refactorizar", "reescribe", "migra", "migrar",
    "integra", "integrar", "convierte", "despliega", "genera", "agrega",
]);

/// Words of weighing things against each other.
#[rustfmt::skip]
pub(super) const WEIGHING: &[&str] = &[
    "compare", "comparing", "comparison", "vs", "versus", "evaluate", "analyse", "analyze", "analysis", "investigate",
    "research", "assess", "trade-offs", "tradeoffs", "compara", "comparar", "comparacion", "evalua", "evaluar",
    "analiza", "analizar", "investiga", "investigar",
];

/// Words of security and architecture.
#[rustfmt::skip]
pub(super) const GRAVE: &[&str] = &[
    "security", "secure", "authentication", "authorization", "auth", "login", "oauth", "oauth2", "encryption", "encrypt",
    "password", "passwords", "permissions", "payment", "payments", "vulnerability", "vulnerabilities", "credentials",
    "architecture", "architectural", "microservice", "microservices", "distributed", "scalable", "scalability",
    "concurrency", "seguridad", "seguro", "autenticacion", "autorizacion", "cifrado", "cifrar", "contrasena",
    "contrasenas", "permisos", "pagos", "arquitectura", "microservicios", "distribuido", "escalable",
];

/// Words of acts that cannot easily be undone, and of where others are affected at once.
#[rustfmt::skip]
pub(super) const RISKY: &[&str] = &[
    "delete", "purge", "wipe", "erase", "overwrite", "drop", "revoke", "terminate", "decommission", "shutdown", "production", "prod",
    "transfer", "pay", "wire", "refund", "sign", "publish", "deploy", "migrate", "failover", "rollback", "borra", "borrar", "elimina",
    "eliminar", "sobrescribe", "revoca", "produccion", "transfiere", "paga", "firma", "publica", "despliega", "migra",
];

/// Words that say that the whole of something is meant.
#[rustfmt::skip]
pub(super) static WHOLE: WordSet = WordSet::new(&[
    "full", "complete", "entire", "whole", "end-to-end", "from-scratch", "full-stack", "fullstack", "completa",
    "completo", "entera", "entero", "integral",
]);

/// What the whole of is a large matter.
#[rustfmt::skip]
pub(super) static LARGE: WordSet = WordSet::new(&[
    "feature", "features", "system", "app", "application", "platform", "service", "website", "backend", "frontend",
    "module", "codebase", "pipeline", "stack", "funcionalidad", "sistema", "aplicacion", "plataforma", "servicio",
    "modulo", "sitio",
]);

/// Tests that are asked for.
#[rustfmt::skip]
pub(super) const TESTS: &[&str] = &["test", "tests", "testing", "coverage", "prueba", "pruebas", "cobertura"];

/// Words that make a request one about code.
#[rustfmt::skip]
pub(super) static CODE: WordSet = WordSet::new(&[
    "code", "bug", "bugs", "function", "functions", "api", "endpoint", "endpoints", "component", "components", "module",
    "backend", "frontend", "database", "refactor", "debug", "compile", "compiler", "repository", "repo", "commit",
    "feature", "app", "application", "website", "codebase",
    "codigo", "funcion", "componente", "modulo", "biblioteca", "refactoriza", "depura", "aplicacion", "login",
]);

/// Nouns that, with a word that says which one, name a component.
#[rustfmt::skip]
pub(super) static COMPONENTS: WordSet = WordSet::new(&[
    "form", "button", "screen", "service", "endpoint", "endpoints", "component", "components", "module", "page", "feature",
    "handler", "parser", "client", "server", "table", "database", "menu", "dialog", "widget", "controller", "middleware",
    "queue", "cache", "library", "cli", "api", "view", "function", "class", "method", "test", "tests", "script",
    "formulario", "boton", "pantalla", "servicio", "componente", "modulo", "pagina", "tabla", "biblioteca",
]);

/// Technologies by name.
#[rustfmt::skip]
pub(super) static TECHNOLOGIES: WordSet = WordSet::new(&[
    "rust", "python", "javascript", "typescript", "java", "kotlin", "swift", "golang", "ruby", "php", "c++", "c#",
    "scala", "haskell", "elixir", "erlang", "perl", "bash", "sql", "html", "css", "sass", "react", "vue", "vue.js",
    "angular", "svelte", "next.js", "nuxt", "node", "node.js", "express", "django", "flask", "fastapi", "rails",
    "laravel", "spring", "tokio", "axum", "actix", "docker", "kubernetes", "terraform", "ansible", "linux", "windows",
    "macos", "android", "ios", "postgres", "postgresql", "mysql", "sqlite", "mongodb", "redis", "kafka", "rabbitmq",
    "elasticsearch", "graphql", "grpc", "rest", "json", "yaml", "toml", "xml", "csv", "excel", "word", "powerpoint",
    "pandas", "numpy", "pytorch", "tensorflow", "jupyter", "git", "github", "gitlab", "jenkins", "aws", "azure", "gcp",
    "nginx", "apache", "wasm", "webassembly", "oauth", "oauth2", "jwt", "i18n", "http", "websocket", "stripe", "jest",
    "pytest", "cargo", "npm", "webpack", "vite", "tailwind", "bootstrap", "wordpress", "opentelemetry", "prometheus",
    "grafana", "llm", "mcp",
]);

/// Kinds of work, with the words by which they are known.
pub(super) const TASK_TYPES: &[(&str, &[&str])] = &[
    ("fix", &["fix", "repair", "debug", "bug", "correct", "arregla", "corrige", "repara", "error", "crash"]),
    ("refactor", &["refactor", "restructure", "rewrite", "clean", "simplify", "refactoriza", "reescribe"]),
    ("test", &["test", "tests", "coverage", "pytest", "prueba", "pruebas"]),
    (
        "build",
        &[
            "build",
            "create",
            "implement",
            "develop",
            "add",
            "crea",
            "construye",
            "implementa",
            "desarrolla",
            "anade",
        ],
    ),
    (
        "write",
        &[
            "write", "draft", "compose", "essay", "poem", "email", "article", "escribe", "redacta", "poema",
            "articulo",
        ],
    ),
    ("document", &["document", "documentation", "docs", "readme", "documenta", "documentacion"]),
    ("compare", &["compare", "versus", "vs", "comparison", "compara", "comparar"]),
    (
        "research",
        &["research", "investigate", "find", "search", "analyse", "analyze", "investiga", "busca", "analiza"],
    ),
    ("translate", &["translate", "translation", "traduce", "traduccion"]),
    ("summarise", &["summarise", "summarize", "summary", "resume", "resumen"]),
    (
        "travel",
        &[
            "trip",
            "travel",
            "flight",
            "flights",
            "hotel",
            "vacation",
            "journey",
            "viaje",
            "vuelo",
            "vacaciones",
        ],
    ),
    ("plan", &["plan", "organize", "organise", "schedule", "arrange", "planifica", "organiza", "planea"]),
    ("deploy", &["deploy", "release", "publish", "install", "configure", "despliega", "publica", "instala"]),
    (
        "security",
        &["security", "audit", "vulnerability", "encrypt", "authentication", "seguridad", "autenticacion"],
    ),
];

/// What is asked for by its name alone: `a weekend in Rome`, `summary of the talk`.
#[rustfmt::skip]
pub(super) static DELIVERABLES: WordSet = WordSet::new(&[
    "trip", "report", "summary", "poem", "essay", "list", "plan", "itinerary", "email", "letter", "article", "story",
    "recipe", "translation", "comparison", "analysis", "schedule", "budget", "presentation", "script", "viaje",
    "informe", "resumen", "poema", "lista", "carta", "articulo", "receta", "traduccion", "vacation", "vacaciones",
]);

/// Words with which a question begins that wants to know something.
#[rustfmt::skip]
pub(super) static ASKING: WordSet = WordSet::new(&[
    "what", "what's", "who", "who's", "whom", "whose", "when", "where", "which", "why", "how", "is", "are", "was", "were",
    "does", "did", "do", "has", "have", "should", "que", "quien", "cuando", "donde", "cual", "cuales", "cuanto",
    "cuanta", "cuantos", "cuantas", "como", "es", "son", "hay",
]);

/// Pronouns that need something that they stand for.
#[rustfmt::skip]
pub(super) static PRONOUNS: WordSet = WordSet::new(&[
    "it", "this", "that", "these", "those", "they", "them", "eso", "esto", "aquello", "ello", "lo",
]);

/// What one says before what must come out.
#[rustfmt::skip]
pub(super) const OUTCOMES: &[&str] = &[
    "so that", "such that", "should", "must", "so it", "in order to", "expected", "until", "returns", "return", "instead of",
    "para que", "debe", "deben", "deberia", "tiene que", "hasta que", "devuelve", "en lugar de", "because", "fails",
    "when", "whenever", "porque", "cuando", "goal", "result", "resultado",
];
