//! Mechanisms: the places where noise is added.

pub mod exponential;
pub mod snapping;
