//! What a command of a tool tries beyond its folder, started by the real command.

use std::process::Command;

use serde_json::json;

use crate::support::Said;
use crate::tools::bench::Bench;

/// Tries to reach a service of this machine, an open file of Candor's parent, the modes of a file that may be read, the priority of
/// another process, and the machine's asynchronous requests. Prints what it could do.
const ATTEMPTS: &str = r#"
import ctypes, os, socket, sys
given, service, other = sys.argv[1:4]
done = []
def attempt(name, what):
    try:
        what()
        done.append(name)
    except OSError:
        pass
def send():
    a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    a.sendto(b"x", service)
def setup():
    if ctypes.CDLL(None, use_errno=True).syscall(206, 16, ctypes.create_string_buffer(8)) != 0:
        raise OSError()
attempt("service", send)
attempt("descriptor", lambda: os.fstat(9))
attempt("mode", lambda: os.chmod(given, 0o777))
attempt("priority", lambda: os.setpriority(os.PRIO_PROCESS, int(other), 19))
attempt("requests", setup)
print("could do:", done, "sees the file:", os.path.exists(given))
"#;

#[test]
fn a_command_reaches_no_service_descriptor_mode_or_priority_outside() {
    // spec: findings SE-09
    let more = "[tools.builtin]\nfolder = \"work\"\ncommands = [\"python3\"]\nreadable = [\"HOME/given\"]\n";
    let bench = Bench::new(&["run_command"], more);
    let candor = &bench.candor;
    let (given, service) = (candor.write("given", "as it was"), candor.path("service"));
    let socket = std::os::unix::net::UnixDatagram::bind(&service).unwrap();
    socket.set_nonblocking(true).unwrap();
    candor.write("work/attempts.py", ATTEMPTS);
    let [given_path, service_path] = [&given, &service].map(|path| path.display().to_string());
    let other = std::process::id().to_string();
    let command = json!(["python3", "attempts.py", given_path, service_path, other]);
    bench.plan(&json!([{"id": "try", "tool": "run_command", "parameters": {"command": command}, "save_as": "result"}]));
    let script = "exec 9<>given; exec \"$0\" \"$@\"";
    let mut started = Command::new("sh");
    started.args([
        "-c",
        script,
        env!("CARGO_BIN_EXE_candor"),
        "--data",
        "data",
        "run",
        "--plan",
        "plan.json",
        "--json",
    ]);
    started.args(["--unattended", "--allow", "irreversible"]).current_dir(candor.folder());
    let said = Said::of(started.output().unwrap()).ended_with(0);
    assert!(said.stdout.contains("could do: [] sees the file: True"), "{}", said.stdout);
    assert!(socket.recv(&mut [0; 8]).is_err(), "a service was reached");
    assert_eq!(std::fs::read_to_string(given).unwrap(), "as it was");
}
