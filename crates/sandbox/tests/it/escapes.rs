//! Programs that try to get out, to look around, or to use up the machine.
//!
//! Each is one line of a table: its name, what it does, and what must be told of it. None may succeed, and each must
//! be told as what it was.

use std::fs::{self, File};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::time::Duration;

use candor_ports::{CodeJob, CodeLimit, CodeOutcome, CodeRun, CodeRunner};
use candor_sandbox::Limits;
use candor_sandbox::python::{LocalPython, PythonConfig};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::escape_table::{CALLS, FILES, LIMITS, NETWORK, PROCESSES, Told};
use crate::fixtures::{LONG, config, finished, job, own_word, processes};

/// What programs try to reach: it is all there, and none of it is for them.
struct Targets {
    home: TempDir,
    tcp4: TcpListener,
    tcp6: Option<TcpListener>,
    udp: UdpSocket,
    _unix: UnixListener,
    _abstract: UnixListener,
    abstract_name: String,
    _left_open: File,
}

fn targets() -> Targets {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("secret"), "the secret").unwrap();
    let name = own_word();
    // As some programs do by mistake: what they start is given it.
    let left_open = File::open(home.path().join("secret")).unwrap();
    rustix::io::fcntl_setfd(&left_open, rustix::io::FdFlags::empty()).unwrap();
    Targets {
        _left_open: left_open,
        tcp4: TcpListener::bind("127.0.0.1:0").unwrap(),
        tcp6: TcpListener::bind("[::1]:0").ok(),
        udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
        _unix: UnixListener::bind(home.path().join("service")).unwrap(),
        _abstract: UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap(),
        abstract_name: name,
        home,
    }
}

impl Targets {
    /// What a program is told of them, so that it need not search.
    fn context(&self) -> Value {
        let port = |addr: std::io::Result<std::net::SocketAddr>| addr.map_or(1, |addr| addr.port());
        json!({
            "secret": self.home.path().join("secret"), "home": self.home.path(),
            "service": self.home.path().join("service"), "abstract": self.abstract_name,
            "tcp4": port(self.tcp4.local_addr()),
            "tcp6": self.tcp6.as_ref().map_or(1, |tcp| port(tcp.local_addr())),
            "udp": port(self.udp.local_addr()), "host": std::process::id(),
        })
    }

    fn are_untouched(&self) -> bool {
        self.tcp4.set_nonblocking(true).unwrap();
        self.udp.set_nonblocking(true).unwrap();
        let files = fs::read_dir(self.home.path()).unwrap().count();
        fs::read_to_string(self.home.path().join("secret")).unwrap() == "the secret"
            && files == 2
            && self.tcp4.accept().is_err()
            && self.udp.recv(&mut [0; 8]).is_err()
    }
}

/// Limits that are reached soon.
fn small(own_world: bool) -> LocalPython {
    let limits = Limits {
        memory_bytes: 256 * 1024 * 1024,
        cpu_seconds: 2,
        file_bytes: 4 * 1024 * 1024,
        folder_bytes: Some(16 * 1024 * 1024),
        ..config().limits
    };
    LocalPython::new(PythonConfig { limits, own_world, ..config() }).unwrap()
}

/// Runs a table, with and without namespaces; reports everything that went wrong at once.
async fn attempt(table: &[(&str, &str, Told)]) {
    for own_world in [true, false] {
        let python = small(own_world);
        println!("namespaces: {:?}", python.own_world());
        attempt_with(&python, table).await;
    }
}

async fn attempt_with(python: &LocalPython, table: &[(&str, &str, Told)]) {
    let targets = targets();
    let mut wrong = Vec::new();
    for (name, code, told) in table {
        let timeout = if *told == Told::TimedOut { Duration::from_secs(1) } else { LONG };
        let job = CodeJob { timeout, ..job(code, targets.context()) };
        let run = python.run(&job, CancellationToken::new()).await.unwrap();
        if !is_told(*told, &run) {
            wrong.push(format!("{name}: {:?} {}", run.outcome, run.stderr));
        }
        if !targets.are_untouched() {
            wrong.push(format!("{name}: it reached something"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), table.len(), wrong.join("\n"));
}

fn is_told(told: Told, run: &CodeRun) -> bool {
    match (told, &run.outcome) {
        (Told::Raised(names), CodeOutcome::Raised { name, .. }) => names.contains(&name.as_str()),
        (Told::Result(expected), CodeOutcome::Finished { result }) => {
            result.get("got").is_some_and(|got| got.as_str().is_some_and(|got| got == expected))
        }
        (Told::Limit(expected), CodeOutcome::Limit { limit, .. }) => *limit == expected,
        (Told::TimedOut, CodeOutcome::TimedOut) => true,
        (Told::NoResult, CodeOutcome::NoResult { .. }) => true,
        (Told::Killed(expected), CodeOutcome::Killed { signal }) => *signal == expected,
        _ => false,
    }
}

// spec: code-agent SB-02
#[tokio::test]
async fn files_of_others_are_out_of_reach() {
    attempt(FILES).await;
}

#[tokio::test]
async fn nobody_is_reached_over_any_network() {
    attempt(NETWORK).await;
}

#[tokio::test]
async fn other_processes_are_neither_seen_nor_touched() {
    attempt(PROCESSES).await;
}

#[tokio::test]
async fn calls_that_lead_out_are_refused() {
    attempt(CALLS).await;
}

// spec: code-agent SB-10
#[tokio::test]
async fn what_uses_too_much_is_told_by_its_limit() {
    attempt(LIMITS).await;
}

// spec: code-agent SB-02
#[tokio::test]
async fn nothing_of_one_run_is_met_by_the_next() {
    for own_world in [true, false] {
        meet(&small(own_world)).await;
    }
}

async fn meet(python: &LocalPython) {
    let leave = "
import os, tempfile
open('mark', 'w').write('x'); os.mkdir('mark2')
context['place'] = os.getcwd(); import builtins; builtins.mark = 1; json.mark = 1; os.environ['MARK'] = '1'
";
    let first = finished(crate::fixtures::run(python, leave).await);
    let look = "
import os
context['met'] = [os.listdir('.'), hasattr(json, 'mark'), 'mark' in dir(__builtins__), 'MARK' in os.environ]
try: context['met'].append(os.listdir(context['place']))
except OSError: context['met'].append([])
";
    let next = finished(crate::fixtures::run_with(python, look, first).await);
    assert_eq!(next["met"], json!([[], false, false, false, []]));
}

#[tokio::test]
async fn a_daemon_does_not_outlive_its_program() {
    let word = own_word();
    let code = format!(
        "
import os, time, subprocess
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv('/bin/sh', ['sh', '-c', 'trap \"\" TERM HUP; while :; do sleep 1; done; : {word}'])
    os._exit(0)
time.sleep(0.5)
context['left'] = True
"
    );
    for own_world in [true, false] {
        assert_eq!(finished(crate::fixtures::run(&small(own_world), &code).await), json!({"left": true}));
        assert_eq!(processes(&word), Vec::<u32>::new());
    }
}

/// With namespaces, what is not given is not there at all: not even its name can be asked for.
#[tokio::test]
async fn in_a_world_of_its_own_there_is_nothing_else_to_be_seen() {
    let python = small(true);
    if let Err(why) = python.own_world() {
        candor_testkit::skips::skipped(why);
        return;
    }
    let code = "
import os, socket
def there(path):
    try: os.stat(path); return True
    except FileNotFoundError: return False
context['there'] = [there(path) for path in ('/usr/bin/env', '/tmp', context['secret'], '/etc/shadow', '/boot', '/mnt',
                                             '/var', '/sys/kernel', '/dev/shm')]
context['name'] = socket.gethostname()
";
    let targets = targets();
    let made = finished(crate::fixtures::run_with(&python, code, targets.context()).await);
    assert_eq!(made["there"], json!([true, true, false, false, false, false, false, false, false]));
    assert_eq!(made["name"], "sandbox");
}

#[tokio::test]
async fn the_limits_hold_for_threads_too() {
    let code = "
import threading, time
threading.stack_size(65536)
for _ in range(2000): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
time.sleep(30)
";
    let run = crate::fixtures::run(&small(true), code).await;
    let limited = matches!(run.outcome, CodeOutcome::Limit { limit: CodeLimit::Processes, .. });
    let refused = matches!(&run.outcome, CodeOutcome::Raised { name, .. } if name == "RuntimeError");
    assert!(limited || refused, "{run:?}");
}
