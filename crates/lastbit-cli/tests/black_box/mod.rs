//! The built command and written files, and nothing else: what an attacker or an unlucky user can
//! do to it from outside.
//!
//! [`Here`](crate::support::Here) is a fresh directory with a table of people and plans about it. A
//! new test is a function in the module of its subject: it writes files, runs the command, and
//! looks at exit status, output and files.
#![cfg(all(unix, feature = "engine"))]

mod changes;
mod composing;
mod convert;
mod data;
mod declared;
mod forms;
mod inspections;
mod ledgers;
mod mistaken_data;
mod mistakes;
mod names;
mod outputs;
mod questions;
mod rehearsals;
mod steward;
mod stored;
mod streams;
#[cfg(target_os = "linux")]
mod terminal;
