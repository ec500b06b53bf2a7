//! Mechanisms: the places where noise is added.

pub mod snapping;
