//! Attacks on a mechanism's outputs and its time.
