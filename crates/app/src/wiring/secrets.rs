//! What this installation keeps secret: keys of its configuration, values of its environment, and what looks like one.

use std::borrow::Cow;
use std::sync::Arc;

use candor_model::redact::Redactor;

use super::App;
use crate::redaction_key;

/// Parts of names of variables whose values are secret.
#[rustfmt::skip]
const SECRET_PARTS: &[&str] =
    &["KEY", "KEYS", "TOKEN", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASS", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS", "APIKEY"];
/// Values that are shorter are too likely to be words.
const LEAST: usize = 8;
/// Whatever is as long is taken for a secret, even if it has letters only.
const SURELY: usize = 20;

impl App {
    /// Takes secrets out of what is recorded and shown.
    pub fn redactor(&self) -> Arc<Redactor> {
        let made = self.redactor.get_or_init(|| {
            let named = self.secret_variables().filter_map(|name| std::env::var(name).ok());
            let found = std::env::vars_os().filter_map(|(name, value)| {
                let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
                looks_secret(&name, &value).then_some(value)
            });
            let values = named.chain(found).map(|value| value.trim().to_owned());
            let folder = self.data.path().to_owned();
            let key = move || redaction_key::of(&folder);
            Arc::new(Redactor::keyed(values, self.config.secrets.fields.iter().cloned(), key))
        });
        Arc::clone(made)
    }

    /// The variables that the configuration says hold secrets.
    fn secret_variables(&self) -> impl Iterator<Item = &str> {
        let of_models = self.config.models.tiers().filter_map(|(_, tier)| tier.key_variable());
        let of_agents = self.config.agents.iter().flat_map(|agent| agent.headers_env.values());
        let of_servers = self.config.tools.servers.values().flat_map(|server| server.headers_env.values());
        let of_webhooks = self.config.webhooks.iter().map(|webhook| &webhook.secret_env);
        let declared = of_agents.chain(of_servers).chain(of_webhooks).chain(&self.config.secrets.variables);
        of_models.chain(declared.map(String::as_str)).filter(|name| !name.is_empty())
    }

    /// The words of a person without secrets: one in them would be on the log for good, and go to every model and
    /// agent.
    pub fn without_secrets(&self, words: String) -> String {
        match self.redactor().text(&words) {
            Cow::Borrowed(_) => words,
            Cow::Owned(clean) => {
                tell!(
                    "there is what looks like a secret in these words; it was taken out before anything \
                     was recorded. Agents get secrets from their environment.",
                    "hay algo que parece un secreto en estas palabras; se quitó antes de registrar nada. \
                     Los agentes reciben los secretos de su entorno."
                );
                clean
            }
        }
    }
}

/// Whether a variable holds a secret, by its name and value: a path, a number or a plain word is none.
fn looks_secret(name: &str, value: &str) -> bool {
    let named =
        name.split(['_', '-']).any(|part| SECRET_PARTS.iter().any(|known| part.eq_ignore_ascii_case(known)));
    let has = |wanted: fn(&u8) -> bool| value.as_bytes().iter().any(wanted);
    let mixed = has(u8::is_ascii_alphabetic) && (has(u8::is_ascii_digit) || has(u8::is_ascii_punctuation));
    named
        && value.len() >= LEAST
        && !value.starts_with(['/', '~', '.'])
        && !value.contains(char::is_whitespace)
        && (mixed || value.len() >= SURELY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_secret_by_name_and_value() {
        // spec: findings SE-04
        for (name, value) in [
            ("MY_SERVICE_TOKEN", "abc12345"),
            ("DB_PASSWORD", "hunter-22x"),
            ("STRIPE_KEY", "thisislongandhasonlyletters"),
        ] {
            assert!(looks_secret(name, value), "{name}");
        }
        for (name, value) in [
            ("PWD", "/home/me/x1"),
            ("MONKEY_HOUSE", "banana-42"),
            ("SSH_KEY_PATH", "/home/me/.ssh/id_rsa"),
            ("KEY_MODE", "standard"),
            ("TOKEN_LIMIT", "100000000"),
            ("EDITOR", "vim-9-tiny"),
        ] {
            assert!(!looks_secret(name, value), "{name}");
        }
    }
}
