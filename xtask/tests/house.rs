//! The house's order, checked on the real workspace by every `cargo test`.

use xtask::{tidy, workspace_root};

#[test]
fn the_house_is_in_order() {
    let problems = tidy::check(&workspace_root().unwrap()).unwrap();
    let list: Vec<_> = problems.iter().map(ToString::to_string).collect();
    assert!(list.is_empty(), "{}", list.join("\n"));
}
