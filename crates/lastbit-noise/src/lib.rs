//! Entropy, lazy uniforms and exact samplers on grids.
#![forbid(unsafe_code)]

pub mod entropy;
