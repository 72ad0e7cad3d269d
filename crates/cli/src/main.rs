//! The command `candor`.

fn main() {}
