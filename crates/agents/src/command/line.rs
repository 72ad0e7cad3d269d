//! A child's line to the others at work: a Unix domain socket that takes and gives JSON, one object a line.
//!
//! ```text
//! {"tell": {"messageType": …, "priority": …, "content": …, "data": {…}}}    → {"ok": true}
//! {"ask": {"toAgent": …, "queryType": …, "query": …, "context": {…}, "timeout": 5000}}
//!                                                     → {"response": …, "confidence": …}
//! {"listen": true}    → {"message": {…}} for everything that was told so far, then {"ok": true}; and from
//!                       then on {"message": {…}} for every pressing discovery of others, as it comes
//! ```
//! What cannot be done is answered with `{"error": …}`, and the line stays open. The socket lies in a folder
//! that nobody else may enter, and goes with the attempt.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};
use std::time::Duration;

use candor_model::TaskId;
use candor_ports::PeerChannel;
use tokio::net::{UnixListener, UnixStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::exchange::Exchange;

/// How many connections one attempt may have at once; more wait.
const MOST_CONNECTIONS: usize = 32;
/// How long what a dead child left in its sockets may take to be read.
const FINISH_WITHIN: Duration = Duration::from_secs(1);
/// How often a name for the folder is sought that nobody has.
const TRIES: usize = 16;
/// What the folder's name begins with; the number of the process follows.
const PREFIX: &str = "candor-line-";

/// A line that is open. Dropping it hangs up.
pub(super) struct Line {
    folder: Folder,
    /// Fires when the child has ended: what it left is still read, and nothing new is waited for.
    ending: CancellationToken,
    serving: JoinHandle<()>,
}

impl Line {
    /// Opens a line for an attempt at this task.
    pub(super) fn open(task: TaskId, peers: Arc<dyn PeerChannel>) -> io::Result<Self> {
        let folder = Folder::make()?;
        let listener = UnixListener::bind(folder.socket())?;
        let ending = CancellationToken::new();
        let serving = tokio::spawn(serve(listener, task, peers, ending.clone()));
        Ok(Self { folder, ending, serving })
    }

    /// Where the child finds it.
    pub(super) fn path(&self) -> impl AsRef<OsStr> {
        self.folder.socket()
    }

    /// Takes what a child that has ended by itself left unread, and hangs up.
    pub(super) async fn finish(mut self) {
        self.ending.cancel();
        // Someone outside the group may hold a connection open; nobody waits for that.
        let _ = timeout(FINISH_WITHIN, &mut self.serving).await;
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(listener: UnixListener, task: TaskId, peers: Arc<dyn PeerChannel>, ending: CancellationToken) {
    // Dropping the set ends what is in it.
    let mut connections = JoinSet::new();
    let exchange =
        |stream: UnixStream| Exchange::new(stream, task.clone(), Arc::clone(&peers), ending.clone()).go_on();
    loop {
        tokio::select! {
            biased;
            accepted = listener.accept(), if connections.len() < MOST_CONNECTIONS => match accepted {
                Ok((stream, _)) => _ = connections.spawn(exchange(stream)),
                // Too many open files, for instance: those who are connected go on.
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            },
            Some(_) = connections.join_next() => {}
            // Last of all: those who connected before the end are still heard.
            () = ending.cancelled() => break,
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// A folder for one socket, which only we may enter. It goes when it is dropped.
struct Folder(PathBuf);

impl Folder {
    /// Its name is short: the path of a socket may have about a hundred bytes, which is why it is not in the data folder.
    fn make() -> io::Result<Self> {
        static SWEPT: Once = Once::new();
        SWEPT.call_once(sweep);
        let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
        for n in 0..TRIES {
            // The standard library seeds its hashers at random: names that nobody can foresee.
            let random = RandomState::new().hash_one(n) >> 32;
            let path = std::env::temp_dir().join(format!("{PREFIX}{}-{random:08x}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn socket(&self) -> PathBuf {
        self.0.join("bus")
    }
}

/// Removes the folders of processes that were killed. Each process does so once, before it makes its first.
fn sweep() {
    let is_alive = |pid: &str| Path::new("/proc").join(pid).exists();
    // Where there is no such list of processes nothing can be said of them.
    if !is_alive(&std::process::id().to_string()) {
        return;
    }
    for entry in fs::read_dir(std::env::temp_dir()).into_iter().flatten().filter_map(Result::ok) {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split_once('-'));
        let is_pid = |pid: &str| !pid.is_empty() && pid.bytes().all(|byte| byte.is_ascii_digit());
        if pid.is_some_and(|(pid, _)| is_pid(pid) && !is_alive(pid)) {
            // Dropped, it is removed; somebody else's folder cannot be.
            drop(Folder(entry.path()));
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is an empty folder among the temporary ones.
        let _ = fs::remove_file(self.socket());
        let _ = fs::remove_dir::<&Path>(&self.0);
    }
}
