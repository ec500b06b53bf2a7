//! The page over plain HTTP: its rules, each by a request that breaks it, and what it does with
//! plans and ledgers.

#[cfg(feature = "databases")]
mod databases;
mod plans;
mod releases;
mod security;
mod support;
