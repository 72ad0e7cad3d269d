//! Who may use a server: named tokens with a scope, kept as hashes in the data folder.
//!
//! A token has 256 random bits, so a plain SHA-256 of it is enough: there is nothing to guess. The first start of a
//! server makes one and leaves it in a file of its own (0600), so that commands of the same user find it. A browser
//! that logs in gets a token too, with an end.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use candor_model::Timestamp;
use candor_ports::private;
use candor_text::both;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::AppError;

/// The file with the hashes.
const FILE: &str = "tokens.json";
/// The file with the token that the first start made.
const FIRST: &str = "server.token";
/// The name of that token.
pub const FIRST_NAME: &str = "local";
/// What every token begins with, so that it is known for one where it should not be.
const PREFIX: &str = "candor_";
/// Maximum length of a name.
const LONGEST_NAME: usize = 64;
/// Maximum number of tokens; the oldest of those that have ended go first.
const MOST: usize = 1000;

/// What a token allows; each allows what is before it too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// May read everything and change nothing.
    Read,
    /// May answer questions as well.
    Answer,
    /// Start, stop and change runs too.
    Admin,
}

impl Scope {
    /// Word for files and options.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Answer => "answer",
            Self::Admin => "admin",
        }
    }
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "read" => Ok(Self::Read),
            "answer" => Ok(Self::Answer),
            "admin" => Ok(Self::Admin),
            other => Err(say!(
                "`{other}` is no scope; there are read, answer and admin",
                "`{other}` no es un alcance; hay read, answer y admin"
            )),
        }
    }
}

/// A token without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedToken {
    /// Whose it is: what the audit says.
    pub name: String,
    /// Most that its owner may do.
    pub scope: Scope,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends; never if unset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// SHA-256 of the secret, in hexadecimal digits.
    hash: String,
}

impl NamedToken {
    /// The hash of its secret.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Whether it holds at this moment.
    #[must_use]
    pub fn holds(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|end| now < end)
    }
}

/// The tokens of an installation.
#[derive(Debug, Clone)]
pub struct Tokens(PathBuf);

impl Tokens {
    /// Those of a data folder.
    #[must_use]
    pub fn of(data: &Path) -> Self {
        Self(data.to_owned())
    }

    /// All of them, by name.
    pub fn list(&self) -> Result<Vec<NamedToken>, AppError> {
        let path = self.path();
        match fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| {
                AppError::failed(both!(
                    "{}: {error}; remove the file to begin anew",
                    "{}: {error}; borrar el archivo para empezar de nuevo",
                    path.display()
                ))
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(failed(&path, &error)),
        }
    }

    /// Makes a token; returns its secret, which is kept nowhere.
    pub fn add(
        &self,
        name: &str,
        scope: Scope,
        now: Timestamp,
        expires_at: Option<Timestamp>,
    ) -> Result<String, AppError> {
        let name = name.trim();
        if name.is_empty() || name.len() > LONGEST_NAME || name.chars().any(char::is_control) {
            return Err(AppError::usage(both!(
                "a token's name has 1 to {LONGEST_NAME} letters",
                "el nombre de un token tiene de 1 a {LONGEST_NAME} letras"
            )));
        }
        let mut tokens = self.list()?;
        if tokens.iter().any(|token| token.name == name) {
            return Err(AppError::usage(both!(
                "there is a token `{name}` already; choose another name",
                "ya hay un token `{name}`; elegir otro nombre"
            )));
        }
        if tokens.len() >= MOST {
            tokens.retain(|token| token.holds(now));
        }
        let secret = secret()?;
        tokens.push(NamedToken {
            name: name.to_owned(),
            scope,
            created_at: now,
            expires_at,
            hash: hash(&secret),
        });
        self.write(&tokens)?;
        Ok(secret)
    }

    /// Removes a token; whoever uses it is refused from now on.
    pub fn remove(&self, name: &str) -> Result<(), AppError> {
        let mut tokens = self.list()?;
        let before = tokens.len();
        tokens.retain(|token| token.name != name);
        if tokens.len() == before {
            return Err(AppError::not_found(both!(
                "there is no token `{name}`; `candor token list` shows them",
                "no hay ningún token `{name}`; `candor token list` los muestra"
            )));
        }
        self.write(&tokens)?;
        if name == FIRST_NAME {
            // It may have been removed by hand.
            let _ = fs::remove_file(self.first_path());
        }
        Ok(())
    }

    /// Makes the first token if there is none for administration; returns the file that holds it.
    pub fn ensure_first(&self, now: Timestamp) -> Result<PathBuf, AppError> {
        let path = self.first_path();
        let tokens = self.list()?;
        let known = tokens.iter().find(|token| token.name == FIRST_NAME);
        let kept = self.first();
        if known.is_some_and(|known| kept.as_deref().is_some_and(|kept| hash(kept) == known.hash)) {
            return Ok(path);
        }
        if known.is_some() {
            self.remove(FIRST_NAME)?;
        }
        let secret = self.add(FIRST_NAME, Scope::Admin, now, None)?;
        replace(&path, secret.as_bytes())?;
        Ok(path)
    }

    /// The token that the first start made, for commands of the same user.
    #[must_use]
    pub fn first(&self) -> Option<String> {
        fs::read_to_string(self.first_path()).ok().map(|text| text.trim().to_owned())
    }

    /// When the tokens last changed, for whoever keeps a copy.
    #[must_use]
    pub fn changed_at(&self) -> Option<std::time::SystemTime> {
        fs::metadata(self.path()).and_then(|file| file.modified()).ok()
    }

    fn path(&self) -> PathBuf {
        self.0.join(FILE)
    }

    fn first_path(&self) -> PathBuf {
        self.0.join(FIRST)
    }

    fn write(&self, tokens: &[NamedToken]) -> Result<(), AppError> {
        let text = serde_json::to_string_pretty(tokens).map_err(AppError::failed)?;
        private::create_dir_all(&self.0).map_err(|error| failed(&self.0, &error))?;
        replace(&self.path(), text.as_bytes())
    }
}

/// Writes a file beside and puts it in its place: nobody ever reads half of it.
fn replace(path: &Path, content: &[u8]) -> Result<(), AppError> {
    let beside = path.with_extension("new");
    let written = private::create(&beside)
        .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&beside, path));
    written.map_err(|error| failed(path, &error))
}

fn failed(path: &Path, error: &io::Error) -> AppError {
    let path = path.display();
    AppError::failed(both!("could not use {path}: {error}", "no se pudo usar {path}: {error}"))
}

/// The hash of a secret, as it is kept.
#[must_use]
pub fn hash(secret: &str) -> String {
    candor_model::hex(&Sha256::digest(secret.as_bytes()))
}

/// 256 random bits as text.
pub fn secret() -> Result<String, AppError> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        AppError::failed(both!("no random numbers: {error}", "no hay números aleatorios: {error}"))
    })?;
    Ok(format!("{PREFIX}{}", candor_model::hex(&bytes)))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn secrets_are_kept_as_hashes_and_the_first_in_a_private_file() {
        let folder = tempfile::tempdir().unwrap();
        let tokens = Tokens::of(folder.path());
        let now = Timestamp::from_millis(1_000);
        let file = tokens.ensure_first(now).unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let first = tokens.first().unwrap();
        assert_eq!(tokens.ensure_first(now).unwrap(), file);
        assert_eq!(tokens.first().unwrap(), first, "a second start makes no new one");
        let other = tokens.add("ana", Scope::Read, now, None).unwrap();
        let kept = fs::read_to_string(tokens.path()).unwrap();
        assert!(!kept.contains(&first) && !kept.contains(&other) && kept.contains(&hash(&other)));
        assert!(tokens.add("ana", Scope::Admin, now, None).is_err());
        tokens.remove("ana").unwrap();
        assert!(tokens.remove("ana").is_err());
        assert_eq!(tokens.list().unwrap().len(), 1);
    }
}
