//! Real commands in a real confinement, trying to do harm.

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use candor_sandbox::{Confinement, Ended, How, Limits, SandboxError, probe};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// Longer than anything here takes on a busy machine.
const LONG: Duration = Duration::from_secs(60);

struct Bench {
    home: TempDir,
    confinement: Confinement,
}

/// A folder to work in, with a secret next to it.
fn bench() -> Bench {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("work");
    fs::create_dir(&folder).unwrap();
    fs::write(home.path().join("secret"), "the secret").unwrap();
    let confinement = Confinement {
        launcher: PathBuf::from(env!("CARGO_BIN_EXE_candor-confine")),
        folder: folder.clone(),
        read_write: vec![folder],
        read_only: Vec::new(),
        network: false,
        change_modes: false,
        own_world: false,
        limits: Limits { wall: LONG, ..Limits::default() },
        env: BTreeMap::new(),
        allow_unconfined: false,
    };
    Bench { home, confinement }
}

impl Bench {
    fn secret(&self) -> PathBuf {
        self.home.path().join("secret")
    }

    fn folder(&self) -> &Path {
        &self.confinement.folder
    }

    async fn sh(&self, script: &str) -> Ended {
        self.run(&["sh", "-c", script], b"").await.unwrap()
    }

    async fn run(&self, command: &[&str], input: &[u8]) -> Result<Ended, SandboxError> {
        let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
        self.confinement.run(&command, input, CancellationToken::new()).await
    }
}

/// Whether a process runs whose command line holds these words.
fn runs(words: &str) -> bool {
    let all = fs::read_dir("/proc").unwrap().flatten();
    let lines = all.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.into_iter().any(|line| String::from_utf8_lossy(&line).replace('\0', " ").contains(words))
}

/// A number of seconds to sleep that nobody else sleeps.
fn own_sleep() -> String {
    let nanos = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().subsec_nanos();
    format!("{}.{nanos:09}", 3000 + std::process::id() % 1000)
}

#[test]
fn this_kernel_can_confine() {
    assert!(probe().suffices(), "the other tests need a kernel with {}", probe().missing());
}

// spec: beyond BY-15
#[tokio::test]
async fn output_input_and_code_come_through() {
    let bench = bench();
    let ended = bench.run(&["sh", "-c", "cat; echo aside >&2; exit 7"], b"given\n").await.unwrap();
    assert_eq!(ended.how, How::Exited(7));
    assert_eq!((ended.stdout.text().as_str(), ended.stderr.text().as_str()), ("given\n", "aside\n"));
}

// spec: beyond BY-15
#[tokio::test]
async fn nothing_outside_can_be_read() {
    let bench = bench();
    let secret = bench.secret();
    let inside = bench.folder().join("link");
    std::os::unix::fs::symlink(&secret, inside).unwrap();
    for path in ["/etc/shadow", secret.to_str().unwrap(), "../secret", "link", "/proc/self/root/etc/shadow"] {
        let ended = bench.run(&["cat", path], b"").await.unwrap();
        assert_eq!(ended.how, How::Exited(1), "{path}");
        assert_eq!(ended.stdout.total_bytes(), 0, "{path}");
        assert!(ended.stderr.text().contains("denied"), "{path}: {}", ended.stderr.text());
    }
    let ended = bench.run(&["ls", bench.home.path().to_str().unwrap()], b"").await.unwrap();
    assert_eq!(ended.stdout.total_bytes(), 0);
}

// spec: beyond BY-15
#[tokio::test]
async fn only_the_folder_and_its_own_tmp_can_be_written() {
    let bench = bench();
    let script = "echo in > new && mkdir -p a/b && mv new a/b/new && echo tmp > $TMPDIR/x && cat $TMPDIR/x";
    let ended = bench.sh(script).await;
    assert_eq!(
        (ended.how, ended.stdout.text().as_str()),
        (How::Exited(0), "tmp\n"),
        "{}",
        ended.stderr.text()
    );
    assert_eq!(fs::read_to_string(bench.folder().join("a/b/new")).unwrap(), "in\n");

    let secret = bench.secret();
    let secret = secret.to_str().unwrap();
    for script in [
        format!("echo x >> {secret}"),
        format!(": > {secret}"),
        format!("truncate -s 0 {secret}"),
        format!("rm -f {secret}"),
        format!("mv {secret} mine"),
        format!("ln {secret} mine"),
        format!("chmod 777 {secret}"),
        format!("touch -d 2001-01-01 {secret}"),
        "echo x > ../new".to_owned(),
        "echo x > /tmp/candor-was-here".to_owned(),
        "mkdir ../new".to_owned(),
    ] {
        let ended = bench.sh(&script).await;
        assert_ne!(ended.how, How::Exited(0), "{script}");
    }
    assert_eq!(fs::read_to_string(bench.secret()).unwrap(), "the secret");
    assert!(!bench.home.path().join("new").exists());
}

#[tokio::test]
async fn a_folder_that_is_only_readable_stays_as_it_is() {
    let mut bench = bench();
    bench.confinement.read_only = std::mem::take(&mut bench.confinement.read_write);
    fs::write(bench.folder().join("note"), "as it was").unwrap();
    let ended = bench.sh("cat note; echo x > note || echo refused").await;
    assert_eq!(ended.stdout.text(), "as it wasrefused\n");
}

// spec: beyond BY-15
#[tokio::test]
async fn the_network_is_reached_only_when_it_may_be() {
    let mut bench = bench();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let script = format!("exec 3<>/dev/tcp/127.0.0.1/{}", listener.local_addr().unwrap().port());
    let ended = bench.run(&["bash", "-c", &script], b"").await.unwrap();
    assert_ne!(ended.how, How::Exited(0));
    bench.confinement.network = true;
    let ended = bench.run(&["bash", "-c", &script], b"").await.unwrap();
    assert_eq!(ended.how, How::Exited(0), "{}", ended.stderr.text());
}

// spec: beyond BY-15
#[tokio::test]
async fn sockets_of_this_machine_are_out_of_reach_even_with_the_network() {
    let mut bench = bench();
    let path = bench.folder().join("service");
    let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let script = "use Socket; socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die 'no socket'; \
                  connect($s, sockaddr_un('service')) or die 'no way'; print 'reached'";
    for network in [false, true] {
        bench.confinement.network = network;
        let ended = bench.run(&["perl", "-e", script], b"").await.unwrap();
        assert!(ended.stderr.text().contains("no socket"), "{} {}", ended.stdout.text(), ended.stderr.text());
    }
}

// spec: beyond BY-15
#[tokio::test]
async fn nobody_elses_environment_can_be_seen() {
    let mut bench = bench();
    bench.confinement.env = BTreeMap::from([("GIVEN".to_owned(), "yes".to_owned())]);
    let ended = bench.sh("env; cat /proc/self/environ").await;
    let names: Vec<String> = ended
        .stdout
        .text()
        .split(['\n', '\0'])
        .filter_map(|line| line.split_once('=').map(|(name, _)| name.to_owned()))
        .collect();
    for name in &names {
        let given = ["GIVEN", "PATH", "HOME", "TMPDIR", "LANG", "PWD", "OLDPWD", "SHLVL", "_"];
        assert!(given.contains(&name.as_str()), "{name} came from outside");
    }
    assert!(names.iter().any(|name| name == "GIVEN"));
    let script = format!(
        "cat /proc/1/environ /proc/$PPID/environ /proc/{0}/environ /proc/{0}/cmdline /proc/$PPID/cmdline",
        std::process::id()
    );
    let ended = bench.sh(&script).await;
    assert_eq!(ended.stdout.total_bytes(), 0, "{}", ended.stdout.text());
}

// spec: beyond BY-15
#[tokio::test]
async fn nobody_else_can_be_hurt() {
    let bench = bench();
    let mut victim = std::process::Command::new("sleep").arg(own_sleep()).spawn().unwrap();
    let id = victim.id();
    let script = format!("kill -9 {id}; kill -9 $PPID; kill -TERM $PPID; sleep 0.3; echo alive");
    let ended = bench.sh(&script).await;
    let survived = victim.try_wait().unwrap().is_none();
    let limited = bench.run(&["prlimit", "--cpu=1", "--pid", &id.to_string()], b"").await.unwrap();
    victim.kill().unwrap();
    victim.wait().unwrap();
    assert!(survived);
    assert_eq!((ended.how, ended.stdout.text().as_str()), (How::Exited(0), "alive\n"));
    assert_ne!(limited.how, How::Exited(0));
}

#[tokio::test]
async fn new_worlds_cannot_be_made() {
    let bench = bench();
    for command in [&["unshare", "-r", "true"][..], &["chroot", ".", "true"], &["strace", "true"]] {
        match bench.run(command, b"").await {
            Ok(ended) => assert_ne!(ended.how, How::Exited(0), "{command:?}"),
            Err(error) => assert!(matches!(error, SandboxError::NoProgram { .. }), "{error}"),
        }
    }
}

/// With arguments that make no sense, so that nothing happens should one be allowed.
#[cfg(target_arch = "x86_64")]
#[tokio::test]
async fn calls_that_lead_out_are_refused_in_both_ways_to_make_them() {
    let bench = bench();
    // mount, ptrace, unshare, bpf, io_uring_setup, userfaultfd, keyctl, memfd_create, process_vm_readv, socket.
    for call in [165, 101, 272, 321, 425, 323, 250, 319, 310, 41] {
        for way in [0, 0x4000_0000] {
            let script = format!("syscall({}, -1, -1, -1, -1, -1); print $! + 0", call | way);
            let ended = bench.run(&["perl", "-e", &script], b"").await.unwrap();
            // The other way does not exist here, whatever the call.
            let refused = if way == 0 { "1" } else { "38" };
            assert_eq!(ended.stdout.text(), refused, "call {call} in way {way:x}");
        }
    }
    // The newer way to make a process hides what it wants: it is said not to be there.
    let ended = bench.run(&["perl", "-e", "syscall(435, -1, -1); print $! + 0"], b"").await.unwrap();
    assert_eq!(ended.stdout.text(), "38");
}

// spec: beyond BY-15
#[tokio::test]
async fn a_memory_bomb_dies() {
    let mut bench = bench();
    bench.confinement.limits.memory_bytes = 100_000_000;
    let ended = bench.run(&["perl", "-e", "my @a; push @a, 'x' x 10_000_000 while 1"], b"").await.unwrap();
    assert!(!matches!(ended.how, How::Exited(0) | How::TimedOut), "{ended:?}");
    assert!(ended.duration < LONG);
}

// spec: beyond BY-15
#[tokio::test]
async fn memory_of_many_processes_is_counted_together() {
    let mut bench = bench();
    bench.confinement.limits.memory_bytes = 100_000_000;
    let script = "for (1..4) { fork or do { my $a = 'x' x 40_000_000; sleep 600 } } sleep 600";
    let ended = bench.run(&["perl", "-e", script], b"").await.unwrap();
    assert_eq!(ended.how, How::TooMuchMemory);
}

// spec: beyond BY-15
#[tokio::test]
async fn a_fork_bomb_is_stopped() {
    let mut bench = bench();
    bench.confinement.limits.processes = 50;
    let mark = own_sleep();
    let ended = bench.sh(&format!("while :; do sleep {mark} & done")).await;
    assert_eq!(ended.how, How::TooManyProcesses);
    assert!(!runs(&mark));
}

// spec: beyond BY-07, BY-15
#[tokio::test]
async fn at_the_deadline_everything_ends_also_what_ran_away() {
    let mut bench = bench();
    bench.confinement.limits.wall = Duration::from_secs(2);
    let mark = own_sleep();
    let script = format!(
        "trap '' TERM HUP INT; setsid sh -c 'setsid sleep {mark} & setsid sleep {mark} & sleep {mark}' & \
         (sleep {mark} &); echo started; while :; do sleep {mark}; done"
    );
    let began = Instant::now();
    let ended = bench.sh(&script).await;
    assert_eq!((ended.how, ended.stdout.text().as_str()), (How::TimedOut, "started\n"));
    assert!(!runs(&mark));
    assert!(began.elapsed() < LONG);
}

// spec: beyond BY-07
#[tokio::test]
async fn what_a_command_leaves_behind_ends_with_it() {
    let bench = bench();
    let mark = own_sleep();
    let ended = bench.sh(&format!("setsid sleep {mark} & sleep 0.2; exit 3")).await;
    assert_eq!(ended.how, How::Exited(3));
    assert!(!runs(&mark));
}

// spec: beyond BY-07
#[tokio::test]
async fn a_stop_ends_everything_before_it_returns() {
    let bench = bench();
    let (mark, stop) = (own_sleep(), CancellationToken::new());
    let command = ["sh".to_owned(), "-c".to_owned(), format!("setsid sleep {mark} & wait")];
    let asked = async {
        while !runs(&mark) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        stop.cancel();
    };
    let (ended, ()) = tokio::join!(bench.confinement.run(&command, b"", stop.clone()), asked);
    assert_eq!(ended.unwrap().how, How::Stopped);
    assert!(!runs(&mark));
}

// spec: beyond BY-07
#[tokio::test]
async fn a_call_that_is_dropped_leaves_nothing_running() {
    let bench = bench();
    let mark = own_sleep();
    let command = ["sleep".to_owned(), mark.clone()];
    let found = async {
        while !runs(&format!("sleep {mark}")) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::select! {
        ended = bench.confinement.run(&command, b"", CancellationToken::new()) => panic!("{ended:?}"),
        () = found => {}
    }
    let give_up = Instant::now() + LONG;
    while runs(&mark) && Instant::now() < give_up {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(!runs(&mark));
}

// spec: beyond BY-07
#[test]
fn when_nobody_waits_any_more_everything_ends() {
    let bench = bench();
    let mark = own_sleep();
    let own = &bench.confinement;
    // As it looks when whoever started it has died: its parent is somebody else.
    let spec = serde_json::json!({
        "parent": 999_999_999, "report": bench.home.path().join("report"),
        "problem": bench.home.path().join("problem"), "program": "/bin/sh",
        "command": ["sh", "-c", format!("setsid sleep {mark} & wait")], "folder": own.folder,
        "read_write": own.read_write, "read_only": [], "network": false, "users": true, "change_modes": false,
        "limits": own.limits, "allow_unconfined": false,
    });
    let mut keeper = std::process::Command::new(&own.launcher)
        .args(["__confine", "keep", &spec.to_string()])
        .spawn()
        .unwrap();
    assert!(keeper.wait().unwrap().success());
    assert!(bench.home.path().join("report").exists());
    assert!(!runs(&mark));
}

#[tokio::test]
async fn a_flood_is_cut_and_the_end_is_kept() {
    let mut bench = bench();
    bench.confinement.limits.output_bytes = 1000;
    let ended = bench.sh("echo begin; head -c 5000000 /dev/zero | tr '\\0' x; echo; echo end").await;
    assert_eq!(ended.how, How::Exited(0));
    assert!(ended.stdout.is_cut() && ended.stdout.bytes().len() <= 1000);
    let text = ended.stdout.text();
    assert!(text.starts_with("begin\n") && text.ends_with("\nend\n"), "{text}");
    assert_eq!(ended.stdout.total_bytes(), 5_000_011);
}

#[tokio::test]
async fn a_file_cannot_grow_beyond_its_limit() {
    let mut bench = bench();
    bench.confinement.limits.file_bytes = 10_000;
    let ended = bench.sh("head -c 50000 /dev/zero > big").await;
    assert_ne!(ended.how, How::Exited(0));
    assert_eq!(fs::metadata(bench.folder().join("big")).unwrap().len(), 10_000);
}

#[tokio::test]
async fn what_cannot_be_started_is_told() {
    let mut bench = bench();
    let error = bench.run(&["no-such-program"], b"").await.unwrap_err().to_string();
    assert!(error.starts_with("the program `no-such-program` is not installed"), "{error}");
    fs::write(bench.folder().join("odd"), "#!/no/such/interpreter\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(bench.folder().join("odd"), mode).unwrap();
    let error = bench.run(&["./odd"], b"").await.unwrap_err().to_string();
    assert!(error.starts_with("`./odd` was not started: "), "{error}");
    bench.confinement.launcher = PathBuf::from("/bin/true");
    let error = bench.run(&["true"], b"").await.unwrap_err().to_string();
    assert!(error.contains("ended without a report"), "{error}");
    bench.confinement.launcher = PathBuf::from("/no/launcher");
    let error = bench.run(&["true"], b"").await.unwrap_err().to_string();
    assert!(error.starts_with("cannot start the launcher /no/launcher"), "{error}");
}

#[tokio::test]
async fn python_and_git_work_inside() {
    let mut bench = bench();
    let script = "import json, os, ssl, subprocess, tempfile, threading; t = threading.Thread(target=print); \
                  t.start(); t.join(); tempfile.mkstemp(); print(subprocess.check_output(['echo', 'child']))";
    match bench.run(&["/usr/bin/python3", "-c", script], b"").await {
        Ok(ended) => assert_eq!(
            (ended.how, ended.stdout.text().as_str(), ended.stderr.text().as_str()),
            (How::Exited(0), "\nb'child\\n'\n", "")
        ),
        Err(error) => candor_testkit::skips::skipped(error),
    }
    bench.confinement.change_modes = true;
    let script = "git init -q . && echo x > f && git add f && \
                  git -c user.name=n -c user.email=e commit -qm one && git log --oneline | wc -l";
    let ended = bench.sh(&format!("command -v git > /dev/null || exit 0; {script}")).await;
    assert_eq!(ended.how, How::Exited(0), "{}", ended.stderr.text());
}
