//! What fuzzers were started with and what they found, through the same functions as in `fuzz/`: nothing panics.

use std::path::Path;

#[path = "../../../../../fuzz/src/lib.rs"]
mod targets;

#[test]
fn every_input_of_the_corpus_is_read_or_refused() {
    // spec: findings DU-01 SE-04
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut folders: Vec<String> = std::fs::read_dir(&corpus)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    folders.sort();
    assert_eq!(folders, targets::TARGETS.map(|(name, _)| name), "each target has its folder");
    for (name, target) in targets::TARGETS {
        let inputs = std::fs::read_dir(corpus.join(name)).unwrap().flatten();
        let count = inputs.map(|input| target(&std::fs::read(input.path()).unwrap())).count();
        assert!(count > 0, "{name} has no input");
    }
}
