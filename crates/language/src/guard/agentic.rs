//! Orders that only make sense to a program with tools: to carry secrets away, and to run what the network sends.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::structure::head;
use super::weights::Sign;
use super::words::Hit;

/// How many bytes are looked at together, and how far apart such parts begin. An order and its address stand together.
const PART: usize = 320;
const STRIDE: usize = 160;
/// How far from the program that fetches the one may stand that runs.
const PIPE: usize = 300;

/// What sends, as a word of its own.
const SENDS: &[&str] = &[
    "send",
    "sends",
    "sending",
    "posting",
    "uploading",
    "forwarding",
    "emailing",
    "forward",
    "upload",
    "uploads",
    "post",
    "posts",
    "transmit",
    "exfiltrate",
    "email",
    "mail",
    "submit",
    "deliver",
    "leak",
    "share",
    "append",
    "include",
    "attach",
    "export",
    "forwards",
    "curl",
    "wget",
    "scp",
    "nc",
    "envia",
    "enviar",
    "envie",
    "envía",
    "reenvia",
    "reenvía",
    "reenvíe",
    "enviem",
    "mandem",
    "envien",
    "reenvie",
    "envíe",
    "envíen",
    "suba",
    "mande",
    "envoyer",
    "transmets",
    "transmettez",
    "schicken",
    "senden",
    "leiten",
    "encaminhar",
    "compartilhe",
    "inviare",
    "manda",
    "mandar",
    "sube",
    "publica",
    "pass",
    "transfer",
    "transférez",
    "transfère",
    "envoie",
    "envoyez",
    "sende",
    "schicke",
    "leite",
    "encaminhe",
    "invia",
    "inviate",
    "inoltra",
];
/// Files that hold secrets.
const PATHS: &[&str] = &[
    "~/.ssh",
    ".ssh/",
    "id_rsa",
    "id_ed25519",
    "/etc/passwd",
    "/etc/shadow",
    ".aws/",
    ".env",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".kube/config",
    ".docker/config",
    "wallet.dat",
    ".bash_history",
    "login data",
    "/proc/self/environ",
    "cookies.sqlite",
    "keychain",
];
/// Where other files of a person are that programs should not read on their own.
const OWN: &[&str] = &["~/.", "$home/."];
/// What puts the content of a file somewhere.
const PUTS: &[&str] = &["put", "supply", "paste", "insert", "dump", "return", "print", "add"];
/// What is secret, in words.
const SECRETS: &[&str] = &[
    "credential",
    "passwords",
    "the password",
    "your password",
    "user's password",
    "api key",
    "api_key",
    "apikey",
    "api token",
    "access token",
    "auth token",
    "private key",
    "secret key",
    "ssh key",
    "secrets",
    "session cookie",
    "environment variables",
    "env vars",
    "chat history",
    "conversation history",
    "system prompt",
    "credencial",
    "contraseña",
    "claves privadas",
    "customer data",
    "personal data",
    "datos personales",
    "all emails",
    "inbox",
    "incoming mail",
    "their login",
    "card number",
    "verification code",
    "customer list",
    "agenda to",
    "lista de clientes",
    "this conversation",
    "the conversation",
    "contact list",
    "list of contacts",
    "address book",
    "passport number",
    "home directory",
    "home folder",
    "directorio personal",
    "dossier personnel",
    "medical record",
    "health record",
    "patient detail",
    "bank account detail",
    "social security",
    "credit card",
    "search history",
    "browsing history",
    "saved password",
    "tarjeta",
    "_password",
    "_token",
    "_secret",
    "confidential documents",
    "documenti riservati",
    "documentos confidenciales",
    "boîte de réception",
    "posteingang",
    "caixa de entrada",
    "buzón",
    "senhas",
    "mots de passe",
    "passwörter",
];
/// What shows that something goes to somebody else.
const ADDRESSES: &[&str] = &["http://", "https://", "ftp://", "webhook", "pastebin", "ngrok", ".onion"];
/// What fetches, and what runs what was fetched.
const FETCH: &[&str] = &["curl ", "wget ", "iwr ", "invoke-webrequest "];
/// Installing from an address that nobody checked.
const INSTALL: &[&str] = &["pip install ", "pip3 install ", "npm install ", "npm i ", "gem install "];
/// A repository, and an index beside the usual one: what manuals name.
const CHOSEN: &[&str] = &["git+https://", " -f https://"];
const RUN: &[&str] =
    &["sh", "bash", "zsh", "dash", "python", "python3", "perl", "ruby", "node", "iex", "powershell"];

/// What every such order has at least one of. Most texts have none of it, and one pass over them shows that.
static NEEDED: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new([PATHS, OWN, SECRETS, FETCH, INSTALL].concat()).ok());

pub(super) fn hits(text: &str, lower: &str) -> Vec<Hit> {
    if NEEDED.as_ref().is_some_and(|needed| !needed.is_match(lower)) {
        return Vec::new();
    }
    // Where lowering changed a letter's length, places would be wrong: then there is none to quote.
    let place = |at: usize, end: usize| if lower.len() == text.len() { (at, end) } else { (0, 0) };
    let mut hits = Vec::new();
    let mut at = 0;
    while at < lower.len() {
        let from = lower.floor_char_boundary(at);
        let part = head(lower.get(from..).unwrap_or_default(), PART);
        if let Some(sign) = carries_away(part) {
            let (at, end) = place(from, from + part.len());
            hits.push(Hit { at, end, sign });
            break;
        }
        at += STRIDE;
    }
    if let Some((from, to)) = runs_fetched(lower) {
        let (at, end) = place(from, to);
        hits.push(Hit { at, end, sign: Sign::RunsFetched });
    }
    hits
}

/// Whether secrets are sent to an address, or the content of a private file is put somewhere.
fn carries_away(part: &str) -> Option<Sign> {
    let has = |list: &[&str]| list.iter().any(|word| part.contains(word));
    let file = has(PATHS);
    let own = file || has(OWN);
    if !own && !has(SECRETS) {
        return None;
    }
    let says =
        |list: &[&str]| part.split(|letter: char| !letter.is_alphanumeric()).any(|word| list.contains(&word));
    let sends = says(SENDS);
    if file && sends && has_address(part)
        || part.split(ENDS).flat_map(|line| line.split(". ")).any(sends_secrets)
    {
        return Some(Sign::CarriesAway);
    }
    (own && (sends || says(PUTS)) && says(&["read", "cat", "open", "contents", "content"]))
        .then_some(Sign::HandsOut)
}

/// What ends a sentence, or a field of a form.
const ENDS: &[char] = &['\n', '!', '?', ';', '|'];

/// Whether a sentence says that secrets go to an address. A file is named wherever it is read; of a secret only its name is said,
/// and that stands in many texts.
fn sends_secrets(sentence: &str) -> bool {
    let has = |list: &[&str]| list.iter().any(|word| sentence.contains(word));
    let mut words = sentence.split(|letter: char| !letter.is_alphanumeric());
    has(SECRETS) && has_address(sentence) && words.any(|word| SENDS.contains(&word))
}

fn has_address(part: &str) -> bool {
    ADDRESSES.iter().any(|word| part.contains(word)) || has_mailbox(part)
}

/// Whether there is a mail address.
fn has_mailbox(part: &str) -> bool {
    part.match_indices('@').any(|(at, _)| {
        let before = part.get(..at).and_then(|text| text.chars().next_back());
        let after = part.get(at + 1..).unwrap_or_default();
        let host =
            after.split(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '.' | '-'))).next();
        before.is_some_and(char::is_alphanumeric)
            && host.is_some_and(|host| host.trim_end_matches('.').contains('.'))
    })
}

/// `curl … | sh`, `bash <(curl …)`, `sh -c "$(curl …)"`.
fn runs_fetched(text: &str) -> Option<(usize, usize)> {
    for install in INSTALL {
        for (at, _) in text.match_indices(install) {
            let line = text.get(at..)?.split('\n').next().unwrap_or_default();
            // From a registry by name is what every manual says.
            let line = head(line, PIPE);
            if line.contains("://") && !CHOSEN.iter().any(|from| line.contains(from)) {
                return Some((at, at + install.len()));
            }
        }
    }
    for fetch in FETCH {
        for (at, _) in text.match_indices(fetch) {
            let line = head(text.get(at..)?, PIPE).split('\n').next().unwrap_or_default();
            let runs = |after: &str| {
                let program = after.trim_start().trim_start_matches("sudo ").trim_start();
                let word = program.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
                RUN.contains(&word)
            };
            let piped = line.split('|').skip(1).any(runs);
            let inside = text.get(..at)?.trim_end().ends_with("<(") || text.get(..at)?.ends_with("$(");
            // `curl URL | sh` names no program: it is spoken of.
            let names = line.split('|').next().is_some_and(|fetched| fetched.contains(['.', '$']));
            if names && (piped || inside) {
                return Some((at, at + line.len()));
            }
        }
    }
    None
}
