//! Differential privacy that is right to the last bit.
#![forbid(unsafe_code)]

pub mod utility;
