#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod attack;
pub mod audit;
pub mod certificate;
pub mod exact;
pub mod language;
pub mod semantics;
