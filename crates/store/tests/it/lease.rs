//! Who drives a run, by locked files.

use std::time::Duration;

use candor_ports::Leases;
use candor_store::FileLeases;

use crate::common::run;

#[tokio::test]
async fn a_run_has_one_driver_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let leases = FileLeases::new(folder.path().to_owned());
    let lease = leases.take(&run("run_1")).await.unwrap();
    assert!(leases.is_taken(&run("run_1")).await);
    let refused = leases.take(&run("run_1")).await.unwrap_err().to_string();
    assert!(refused.contains(&format!("process {}", std::process::id())), "{refused}");
    assert!(leases.take(&run("run_2")).await.is_ok());
    drop(lease);
    assert!(!leases.is_taken(&run("run_1")).await);
    assert!(leases.take(&run("run_1")).await.is_ok());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "locks leave nothing behind");
}

#[tokio::test]
async fn whoever_waits_for_a_lease_is_told_when_it_is_released() {
    let folder = tempfile::tempdir().unwrap();
    let leases = FileLeases::new(folder.path().to_owned());
    let first = run("run_1");
    leases.released(&first).await;
    let lease = leases.take(&first).await.unwrap();
    let mut released = leases.released(&first);
    let early = tokio::time::timeout(Duration::from_millis(300), &mut released).await;
    assert!(early.is_err(), "it is still held");
    drop(lease);
    tokio::time::timeout(Duration::from_secs(5), released).await.expect("nobody holds it any more");
}
