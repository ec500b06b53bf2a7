//! The `lastbit` command.
fn main() {}
