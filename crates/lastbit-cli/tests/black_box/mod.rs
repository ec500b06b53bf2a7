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
mod drafts;
mod forms;
mod hostile;
mod inspections;
mod joined;
mod ledgers;
mod locks;
mod mistaken_data;
mod mistakes;
mod names;
mod outputs;
mod prices;
mod questions;
mod reasons;
mod rehearsals;
#[cfg(feature = "page")]
mod serve;
mod stored;
mod streams;
#[cfg(target_os = "linux")]
mod terminal;
mod titles;
