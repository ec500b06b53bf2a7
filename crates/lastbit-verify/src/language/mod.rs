//! The language of mechanisms.
