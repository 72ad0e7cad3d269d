//! News of what other processes write: a second log on the same file stands for another process.

use std::time::Duration;

use candor_model::Position;
use candor_ports::{EventLog, Listener, LogError, Notifier, Retention};

use crate::common::{Place, at, ended, fill, numbered, run};

const SOON: Duration = Duration::from_secs(5);

async fn is_told(listener: &mut Box<dyn Listener>, within: Duration) -> bool {
    tokio::time::timeout(within, listener.changed()).await.is_ok_and(|told| told.is_ok())
}

#[tokio::test]
async fn a_listener_is_told_of_others_events_and_not_of_our_own() {
    let place = Place::new();
    let (ours, theirs) = (place.open(), place.open());
    fill(&theirs, &run("before"), 1).await;
    let mut listener = ours.listen().unwrap();
    listener.changed().await.unwrap();
    // What was there before it listened may be told once more, and then no more.
    let _ = is_told(&mut listener, Duration::from_millis(100)).await;
    fill(&ours, &run("ours"), 3).await;
    assert!(!is_told(&mut listener, Duration::from_millis(150)).await, "told of what we wrote");
    fill(&theirs, &run("theirs"), 1).await;
    assert!(is_told(&mut listener, SOON).await);
    drop((ours, theirs));
    assert!(matches!(listener.changed().await, Err(LogError::Closed)));
}

#[tokio::test]
async fn others_events_are_told_even_if_we_write_right_after_them() {
    let place = Place::new();
    let (ours, theirs) = (place.open(), place.open());
    let mut listener = ours.listen().unwrap();
    listener.changed().await.unwrap();
    for _ in 0..20 {
        fill(&theirs, &run("theirs"), 1).await;
        fill(&ours, &run("ours"), 1).await;
        assert!(is_told(&mut listener, SOON).await);
    }
}

#[tokio::test]
async fn a_sequence_number_is_never_used_twice_even_after_the_highest_are_removed() {
    let place = Place::new();
    let log = place.open();
    log.append(&run("old"), Position::START, &[numbered(1), ended(2)]).await.unwrap();
    let mut listener = log.listen().unwrap();
    listener.changed().await.unwrap();
    assert_eq!(place.open().remove_ended_before(at(100), 0).await.unwrap(), 1);
    fill(&place.open(), &run("theirs"), 1).await;
    assert!(is_told(&mut listener, SOON).await, "the new event was taken for one that was seen");
}

#[tokio::test]
async fn whoever_listens_after_all_others_left_is_told_too_and_the_last_to_close_leaves_one_file() {
    let place = Place::new();
    let (ours, theirs) = (place.open(), place.open());
    drop([ours.listen().unwrap(), ours.listen().unwrap()]);
    tokio::time::sleep(Duration::from_millis(100)).await;
    let mut listener = ours.listen().unwrap();
    listener.changed().await.unwrap();
    fill(&theirs, &run("theirs"), 1).await;
    assert!(is_told(&mut listener, SOON).await);
    drop((ours, theirs));
    assert_eq!(std::fs::read_dir(place.folder.path()).unwrap().count(), 1);
}
