//! The tools for files, and every way out of their folder that we could think of.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Duration;

use candor_model::ASK_PERSON;
use candor_model::{Carried, ToolErrorKind};
use candor_tools::ToolSource;
use candor_tools::builtin::{Builtin, BuiltinConfig};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{LONG, bench, bench_with, call_of, kind};

#[tokio::test]
async fn only_what_is_allowed_is_offered() {
    assert_eq!(bench_with(|config| config.folder = None).names().await, [ASK_PERSON]);
    let read_only = bench_with(|config| config.writable = false);
    assert_eq!(read_only.names().await, [ASK_PERSON, "read_file", "list_files", "search_files"]);
    let result = read_only.call("write_file", json!({"path": "a", "content": "x"})).await;
    assert_eq!(kind(&result), Some(ToolErrorKind::Unavailable));
    assert!(!read_only.path("a").exists());
    let all = bench_with(|config| {
        config.commands = vec!["ls".to_owned()];
        config.http_hosts = vec!["example.org".to_owned()];
    });
    let rest = ["write_file", "append_file", "remove_file", "run_command", "http_get"];
    assert_eq!(all.names().await[4..], rest);
}

#[tokio::test]
async fn each_tool_says_what_it_does_to_the_world() {
    let all = bench_with(|config| {
        config.commands = vec!["ls".to_owned()];
        config.http_hosts = vec!["example.org".to_owned()];
    });
    for spec in all.tools.tools().await {
        let hints = spec.hints;
        let said =
            (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint);
        let expected = match spec.name.as_str() {
            "read_file" | "list_files" | "search_files" => (true, false, true, false),
            "http_get" => (true, false, true, true),
            "write_file" | "remove_file" => (false, true, true, false),
            "append_file" => (false, false, false, false),
            "run_command" => (false, true, false, false),
            _ => (true, false, false, true),
        };
        assert_eq!(said, expected, "{}", spec.name);
        assert!(!spec.description.is_empty());
        assert_eq!(spec.input_schema["type"], "object", "{}", spec.name);
        assert_eq!(spec.input_schema["additionalProperties"], false, "{}", spec.name);
    }
}

#[tokio::test]
async fn arguments_are_checked_before_anything_is_done() {
    let bench = bench();
    let result = bench.call("write_file", json!({"path": 7, "mode": "perhaps", "extra": 1})).await;
    assert_eq!(kind(&result), Some(ToolErrorKind::InvalidArguments));
    for place in ["path: must", "content: is missing", "mode: must", "extra: is not known"] {
        assert!(result.error_text().contains(place), "{place}: {}", result.error_text());
    }
    let result = bench.call("fly", json!({})).await;
    assert_eq!(kind(&result), Some(ToolErrorKind::Unavailable));
    assert!(result.error_text().contains("read_file"), "{}", result.error_text());
    let result = bench.call(ASK_PERSON, json!({"question": "Really?"})).await;
    assert_eq!(kind(&result), Some(ToolErrorKind::Failed));
}

#[tokio::test]
async fn no_path_leads_out() {
    let bench = bench();
    let secret = bench.home.path().join("secret");
    symlink(&secret, bench.path("to_file")).unwrap();
    symlink("../secret", bench.path("up")).unwrap();
    symlink(bench.home.path(), bench.path("to_folder")).unwrap();
    symlink("/proc/self/root", bench.path("magic")).unwrap();
    fs::create_dir(bench.path("sub")).unwrap();
    symlink("../../secret", bench.path("sub/up")).unwrap();
    let whole = secret.to_str().unwrap();
    let magic = format!("/proc/self/root{whole}");
    let cwd = format!("/proc/self/cwd/../../../../../../..{whole}");
    let through = format!("magic{whole}");
    for path in [
        "../secret",
        "sub/../../secret",
        "./../secret",
        whole,
        &magic,
        &cwd,
        &through,
        "to_file",
        "up",
        "sub/up",
        "to_folder/secret",
        "/etc/shadow",
        "/dev/zero",
    ] {
        for (tool, arguments) in [
            ("read_file", json!({"path": path})),
            ("search_files", json!({"path": path, "pattern": "secret"})),
            ("write_file", json!({"path": path, "content": "gone", "mode": "overwrite"})),
            ("append_file", json!({"path": path, "content": "gone"})),
            ("remove_file", json!({"path": path, "only_if_sha256": "0".repeat(64)})),
        ] {
            let result = bench.call(tool, arguments).await;
            assert_eq!(kind(&result), Some(ToolErrorKind::Denied), "{tool} {path}: {result:?}");
            assert!(!result.content.contains("the secret"));
        }
    }
    for path in ["..", "to_folder", "/", "magic"] {
        let result = bench.call("list_files", json!({"path": path})).await;
        assert_eq!(kind(&result), Some(ToolErrorKind::Denied), "{path}: {result:?}");
    }
    // Found by walking, they are not followed either.
    let found = bench.call("search_files", json!({"pattern": "secret"})).await;
    assert_eq!(found.data.unwrap()["matches"], json!([]));
    assert_eq!(fs::read_to_string(secret).unwrap(), "the secret");
    let new = bench.call("write_file", json!({"path": "to_folder/new/file", "content": "x"})).await;
    assert_eq!(kind(&new), Some(ToolErrorKind::Denied));
    assert!(!bench.home.path().join("new").exists());
}

#[tokio::test]
async fn a_link_that_changes_while_it_is_followed_never_leads_out() {
    let bench = bench();
    bench.put("inner/secret", "harmless");
    let (link, stop) = (bench.path("flip"), CancellationToken::new());
    symlink("inner", &link).unwrap();
    let flipping = {
        let (link, other, stop) = (link.clone(), bench.path("other"), stop.clone());
        let home = bench.home.path().to_owned();
        std::thread::spawn(move || {
            while !stop.is_cancelled() {
                for target in [std::path::Path::new("inner"), &home] {
                    symlink(target, &other).unwrap();
                    fs::rename(&other, &link).unwrap();
                }
            }
        })
    };
    let mut read = 0;
    for _ in 0..300 {
        let result = bench.call("read_file", json!({"path": "flip/secret"})).await;
        assert!(!result.content.contains("the secret"));
        read += u32::from(result.content == "harmless");
        let args = json!({"path": "flip/written", "content": "x", "mode": "overwrite"});
        bench.call("write_file", args).await;
    }
    stop.cancel();
    flipping.join().unwrap();
    assert!(read > 0, "it was never inside");
    assert!(!bench.home.path().join("written").exists());
}

#[tokio::test]
async fn a_path_may_be_whole_if_it_is_inside_and_links_may_lead_inside() {
    let bench = bench();
    bench.put("sub/a.txt", "one\n");
    symlink("sub", bench.path("link")).unwrap();
    for path in [bench.path("sub/a.txt").to_str().unwrap(), "./sub//a.txt", "link/a.txt"] {
        let result = bench.call("read_file", json!({"path": path})).await;
        assert_eq!(result.content, "one\n", "{path}: {result:?}");
    }
}

#[tokio::test]
async fn what_is_not_a_plain_file_is_not_opened() {
    let bench = bench();
    fs::create_dir(bench.path("folder")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(bench.path("pipe")).status().unwrap();
    assert!(made.success());
    let result = bench.call("read_file", json!({"path": "pipe"})).await;
    assert_eq!(kind(&result), Some(ToolErrorKind::Denied));
    let result = bench.call("read_file", json!({"path": "folder"})).await;
    assert!(result.error_text().contains("is a folder"), "{result:?}");
    let result =
        bench.call("write_file", json!({"path": "folder", "content": "", "mode": "overwrite"})).await;
    assert!(result.error_text().contains("is a folder"), "{result:?}");
    let result = bench.call("read_file", json!({"path": "missing"})).await;
    assert_eq!(result.error_text(), "\"missing\" is not there");
    let result = bench.call("read_file", json!({"path": "a\u{0}b"})).await;
    assert!(!result.success);
}

#[tokio::test]
async fn a_file_is_read_whole_or_by_lines() {
    let bench = bench();
    bench.put("a.txt", "one\ntwo\nthree\nfour");
    let result = bench.call("read_file", json!({"path": "a.txt"})).await;
    assert_eq!(result.content, "one\ntwo\nthree\nfour");
    let data = result.data.unwrap();
    assert_eq!((&data["lines"], &data["bytes"]), (&json!(4), &json!(18)));
    let result = bench.call("read_file", json!({"path": "a.txt", "offset": 2, "limit": 2})).await;
    assert_eq!((result.content.as_str(), result.cut), ("two\nthree\n", false));
    let result = bench.call("read_file", json!({"path": "a.txt", "offset": 9})).await;
    assert_eq!((result.success, result.content.as_str()), (true, ""));
}

#[tokio::test]
async fn a_large_file_is_cut_and_says_how_to_go_on() {
    let bench = bench_with(|config| config.max_read_bytes = 1000);
    let text: String = (1..=100_000).map(|n| format!("line {n}\n")).collect();
    bench.put("big.txt", &text);
    let result = bench.call("read_file", json!({"path": "big.txt"})).await;
    assert!(result.cut && result.content.len() < 1200);
    let next: u64 =
        result.content.split("offset ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let result = bench.call("read_file", json!({"path": "big.txt", "offset": next, "limit": 1})).await;
    assert_eq!(result.content, format!("line {next}\n"));
    let result = bench.call("read_file", json!({"path": "big.txt", "offset": 100_000})).await;
    assert_eq!((result.content.as_str(), result.cut), ("line 100000\n", false));
    bench.put("one_line.txt", "x".repeat(5000));
    let result = bench.call("read_file", json!({"path": "one_line.txt"})).await;
    assert!(result.content.contains("offset 2"), "it does not lead in a circle");
}

#[tokio::test]
async fn binary_files_are_told_and_not_given() {
    let bench = bench();
    bench.put("image.png", b"\x89PNG\0\0\0");
    let result = bench.call("read_file", json!({"path": "image.png"})).await;
    assert!(result.error_text().contains("is not text: 7 bytes, sha256 "), "{result:?}");
    bench.put("latin1.txt", b"caf\xe9\n");
    let result = bench.call("read_file", json!({"path": "latin1.txt"})).await;
    assert_eq!((result.content.as_str(), &result.data.unwrap()["is_utf8"]), ("caf\u{fffd}\n", &json!(false)));
}

#[tokio::test]
async fn files_are_listed_and_found_by_name() {
    let bench = bench();
    for name in ["b.rs", "a.txt", "sub/c.rs", "sub/deep/d.rs"] {
        bench.put(name, "");
    }
    bench.put("odd\nname", "");
    fs::write(bench.path(std::ffi::OsStr::from_bytes(b"\xff.bin")), "").unwrap();
    symlink("/etc", bench.path("link")).unwrap();
    let result = bench.call("list_files", json!({})).await;
    assert_eq!(result.content, "a.txt\nb.rs\nlink@\n\"odd\\nname\"\nsub/\n\u{fffd}.bin");
    let result = bench.call("list_files", json!({"pattern": "*.rs"})).await;
    assert_eq!(result.content, "b.rs\nsub/c.rs\nsub/deep/d.rs");
    let result = bench.call("list_files", json!({"path": "sub", "pattern": "sub/*/*.rs"})).await;
    assert_eq!(result.content, "sub/deep/d.rs");
    let result = bench.call("list_files", json!({"pattern": "*.py"})).await;
    assert_eq!(result.content, "(nothing)");
}

#[tokio::test]
async fn a_long_list_is_cut() {
    let bench = bench();
    (0..1200).for_each(|n| bench.put(&format!("f{n:04}"), ""));
    let result = bench.call("list_files", json!({})).await;
    assert!(result.cut && result.content.contains("200 more left out"), "{}", result.content);
}

#[tokio::test]
async fn text_is_found_in_files() {
    let bench = bench();
    bench.put("a.rs", "fn main() {\n    // Über alles\n}\n");
    bench.put("sub/b.md", "the Main thing\nmain\n");
    bench.put("sub/c.bin", b"main\0");
    let result = bench.call("search_files", json!({"pattern": "main"})).await;
    assert_eq!(result.content, "a.rs:1: fn main() {\nsub/b.md:2: main");
    let args = json!({"pattern": "MAIN", "ignore_case": true, "files": "*.md"});
    let result = bench.call("search_files", args).await;
    assert_eq!(result.content, "sub/b.md:1: the Main thing\nsub/b.md:2: main");
    let result =
        bench.call("search_files", json!({"pattern": "über", "path": "a.rs", "ignore_case": true})).await;
    assert_eq!(result.content, "a.rs:2:     // Über alles");
    let result = bench.call("search_files", json!({"pattern": "nowhere"})).await;
    assert_eq!(result.content, "(not found in 2 text files)");
    let result = bench.call("search_files", json!({"pattern": "x", "path": "missing"})).await;
    assert_eq!(kind(&result), Some(ToolErrorKind::Failed));
}

#[tokio::test]
async fn a_search_tells_what_it_left_out() {
    let bench = bench();
    bench.put("many.txt", "hit\n".repeat(2000));
    bench.put("huge.txt", vec![b'x'; 17 * 1024 * 1024]);
    let result = bench.call("search_files", json!({"pattern": "hit"})).await;
    assert!(result.cut && result.content.contains("1500 more lines left out"), "{}", result.content);
    assert!(result.content.contains("1 files not searched"), "{}", result.content);
}

// spec: orchestrator SM-12
#[tokio::test]
async fn a_replaced_file_comes_back_byte_by_byte() {
    let bench = bench();
    let before = "first\r\nsecond \u{1F600}\u{0}\n\n no end";
    bench.put("run.sh", before);
    fs::set_permissions(bench.path("run.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    let args = json!({"path": "run.sh", "content": "new", "mode": "overwrite"});
    let result = bench.call("write_file", args).await;
    assert!(result.success, "{result:?}");
    assert_eq!(bench.got("run.sh"), b"new");
    let undone = bench.undo(&result).await;
    assert!(undone.success, "{undone:?}");
    assert_eq!(bench.got("run.sh"), before.as_bytes());
    assert_eq!(fs::metadata(bench.path("run.sh")).unwrap().permissions().mode() & 0o777, 0o750);
    let result = bench.call("append_file", json!({"path": "run.sh", "content": "more"})).await;
    assert_eq!(bench.got("run.sh"), format!("{before}more").as_bytes());
    bench.undo(&result).await;
    assert_eq!(bench.got("run.sh"), before.as_bytes());
    let names: Vec<_> =
        fs::read_dir(bench.path(".")).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["run.sh"], "nothing is left behind");
}

// spec: orchestrator SM-12
#[tokio::test]
async fn a_new_file_goes_again_unless_someone_has_changed_it() {
    let bench = bench();
    let result = bench.call("write_file", json!({"path": "deep/er/a.txt", "content": "mine"})).await;
    assert_eq!(bench.got("deep/er/a.txt"), b"mine");
    bench.put("deep/er/a.txt", "theirs");
    let kept = bench.undo(&result).await;
    assert!(kept.error_text().contains("has changed"), "{kept:?}");
    assert_eq!(bench.got("deep/er/a.txt"), b"theirs");
    bench.put("deep/er/a.txt", "mine");
    let removed = bench.undo(&result).await;
    assert!(removed.success && !bench.path("deep/er/a.txt").exists(), "{removed:?}");
    bench.undo(&removed).await;
    assert_eq!(bench.got("deep/er/a.txt"), b"mine");
}

#[tokio::test]
async fn what_cannot_be_put_back_is_told() {
    let bench = bench();
    for old in [vec![b'x'; 256 * 1024 + 1], b"\xff\xfe".to_vec()] {
        bench.put("a", old);
        let result =
            bench.call("write_file", json!({"path": "a", "content": "new", "mode": "overwrite"})).await;
        assert!(result.success && result.undo.is_none());
        assert!(result.content.contains("cannot be undone"), "{result:?}");
    }
}

#[tokio::test]
async fn a_file_that_is_there_is_not_replaced_by_accident() {
    let bench = bench();
    bench.put("a", "old");
    let result = bench.call("write_file", json!({"path": "a", "content": "new"})).await;
    assert!(result.error_text().contains("is there already"), "{result:?}");
    assert_eq!(bench.got("a"), b"old");
    // The same call twice is no more than once.
    let result = bench.call("write_file", json!({"path": "a", "content": "old"})).await;
    assert!(result.success && result.undo.is_none());
}

// spec: beyond BY-12
#[tokio::test]
async fn whether_a_call_was_carried_out_is_found_in_the_file() {
    let bench = bench();
    let write = json!({"path": "sub/a", "content": "text", "mode": "overwrite"});
    assert_eq!(bench.verify("write_file", write.clone()).await, Carried::NotDone);
    let result = bench.call("write_file", write.clone()).await;
    assert_eq!(bench.verify("write_file", write.clone()).await, Carried::Done);
    let remove = serde_json::Value::Object(result.undo.unwrap().arguments);
    assert_eq!(bench.verify("remove_file", remove.clone()).await, Carried::NotDone);
    bench.put("sub/a", "test");
    assert_eq!(bench.verify("write_file", write).await, Carried::NotDone);
    assert_eq!(bench.verify("append_file", json!({"path": "sub/a", "content": "x"})).await, Carried::NotDone);
    assert_eq!(
        bench.verify("append_file", json!({"path": "sub/a", "content": "st"})).await,
        Carried::Unknown
    );
    fs::remove_file(bench.path("sub/a")).unwrap();
    assert_eq!(bench.verify("remove_file", remove).await, Carried::Done);
    assert_eq!(bench.verify("run_command", json!({"command": ["ls"]})).await, Carried::Unknown);
}

// spec: beyond BY-09
#[tokio::test]
async fn a_call_ends_at_its_deadline_and_when_it_is_stopped() {
    let bench = bench();
    bench.put("a", "x");
    let stop = CancellationToken::new();
    let call = call_of("search_files", json!({"pattern": "x"}));
    let result = bench.tools.call(&call, Duration::ZERO, stop.clone()).await;
    assert_eq!(kind(&result), Some(ToolErrorKind::Timeout));
    stop.cancel();
    let result = bench.tools.call(&call, LONG, stop).await;
    assert_eq!(kind(&result), Some(ToolErrorKind::Cancelled));
}

#[test]
fn bad_settings_are_told() {
    let config = BuiltinConfig { folder: Some("/no/such/folder".into()), ..BuiltinConfig::default() };
    let error = Builtin::new(config).err().unwrap().to_string();
    assert!(error.starts_with("tools.folder: /no/such/folder cannot be used"), "{error}");
    for host in ["", "http://a.b", "a b", "a/b", "user@host", "host:99999"] {
        let config = BuiltinConfig { http_hosts: vec![host.to_owned()], ..BuiltinConfig::default() };
        assert!(Builtin::new(config).is_err(), "{host}");
    }
}
