//! The server's own TLS: with a certificate it is reached over https only, beyond loopback too; a new certificate is
//! used without a restart, and files that cannot be used are clear errors.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::client::Server;
use crate::support::{Candor, Said, until};

/// Makes a certificate for this machine with a key of its own; whether the program for that is there.
fn certificate(folder: &Path, name: &str) -> bool {
    let (cert, key) = (format!("{name}.pem"), format!("{name}.key"));
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
        ])
        .args(["-subj", &format!("/CN={name}"), "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"])
        .args(["-keyout", &key, "-out", &cert])
        .current_dir(folder)
        .output();
    let made = made.is_ok_and(|output| output.status.success());
    if !made {
        println!("skipped: openssl cannot make a certificate");
    }
    made
}

/// What curl says of an address, trusting one certificate only; it ends with 60 where that does not vouch for the server.
fn curl(candor: &Candor, trusted: &str, url: &str, more: &[&str]) -> Said {
    let mut command = Command::new("curl");
    command.args(["-sS", "--cacert", trusted]).args(more).arg(url);
    Said::of(command.current_dir(candor.folder()).output().unwrap())
}

#[test]
fn with_a_certificate_the_server_speaks_tls_and_takes_a_new_one_without_a_restart() {
    let candor = Candor::with_config("[serve]\ntls_cert = \"tls.pem\"\ntls_key = \"tls.key\"\n");
    if !certificate(candor.folder(), "tls") || !certificate(candor.folder(), "other") {
        return;
    }
    let server = Server::start_with_tls(&candor, &["--listen", "0.0.0.0:0", "--host", "localhost"]);
    let port = server.address.rsplit_once(':').unwrap().1;
    let url = format!("https://127.0.0.1:{port}");
    assert!(server.link.starts_with("https://"), "{}", server.link);
    let health = format!("{url}/health");
    let ok = curl(&candor, "tls.pem", &health, &[]).ended_with(0);
    assert!(ok.stdout.contains("\"ok\""), "{ok:?}");
    curl(&candor, "other.pem", &health, &[]).ended_with(60);
    let bearer = format!("Authorization: Bearer {}", server.token.trim());
    curl(&candor, "tls.pem", &format!("{url}/api/v1/runs"), &["-f", "-H", &bearer]).ended_with(0);
    let card = curl(&candor, "tls.pem", &format!("{url}/.well-known/agent-card.json"), &["-H", &bearer]);
    assert!(card.stdout.contains(&format!("\"{url}/a2a\"")), "{card:?}");
    // A cookie that came over TLS is never sent without it.
    let path = server.link.split_once("/login").unwrap().1;
    let login = curl(&candor, "tls.pem", &format!("{url}/login{path}"), &["-i"]);
    assert!(
        login.stdout.contains("HttpOnly; SameSite=Strict") && login.stdout.contains("; Secure"),
        "{login:?}"
    );
    // Whoever speaks without TLS, or says nothing, is told nothing.
    assert_ne!(curl(&candor, "tls.pem", &format!("http://127.0.0.1:{port}/health"), &[]).code, 0);

    // Half a renewal leaves the old certificate in use; a whole one is used at once.
    std::thread::sleep(Duration::from_millis(1100));
    std::fs::copy(candor.path("other.key"), candor.path("tls.key")).unwrap();
    std::fs::copy(candor.path("tls.pem"), candor.path("first.pem")).unwrap();
    std::thread::sleep(Duration::from_millis(1100));
    curl(&candor, "first.pem", &health, &[]).ended_with(0);
    std::fs::copy(candor.path("other.pem"), candor.path("tls.pem")).unwrap();
    until("the new certificate is used", || curl(&candor, "other.pem", &health, &[]).code == 0);
    curl(&candor, "first.pem", &health, &[]).ended_with(60);
}

#[test]
fn files_that_are_no_certificate_are_clear_errors() {
    let candor = Candor::new();
    if !certificate(candor.folder(), "a") || !certificate(candor.folder(), "b") {
        return;
    }
    candor.write("empty.pem", "nothing\n");
    candor.write("torn.pem", "-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n");
    let serve = |cert: &str, key: &str| {
        candor.run(["serve", "--listen", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key])
    };
    serve("none.pem", "a.key").refused(&["TLS certificate none.pem", "cannot be read", "No such file"]);
    serve("a.pem", "none.key").refused(&["TLS key none.key", "cannot be read"]);
    serve("empty.pem", "a.key").refused(&["empty.pem has no certificate in PEM form"]);
    serve("a.pem", "a.pem").refused(&["a.pem has no key in PEM form"]);
    serve("torn.pem", "a.key").refused(&["torn.pem", "cannot be"]);
    serve("a.pem", "b.key").refused(&["a.pem and b.key cannot be used"]);
    candor.run(["serve", "--tls-cert", "a.pem"]).refused(&["--tls-key"]);
    candor.run(["serve", "--mcp", "--tls-cert", "a.pem", "--tls-key", "a.key"]).refused(&["cannot be used"]);
    candor.write("candor.toml", "[serve]\ntls_cert = \"a.pem\"\n");
    candor.run(["serve", "--listen", "127.0.0.1:0"]).refused(&["tls_cert and tls_key belong together"]);
    // A certificate is no name: requests for names that nobody gave are refused.
    candor.write("candor.toml", "[serve]\ntls_cert = \"a.pem\"\ntls_key = \"a.key\"\n");
    candor.run(["serve", "--listen", "0.0.0.0:0"]).refused(&["--host"]);
}
