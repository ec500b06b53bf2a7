//! The tests that use the public interface alone, in one program: it links once.
//!
//! `environment` changes the floating-point mode, which belongs to the thread: other tests do not
//! notice.

mod directed;
mod dyadic;
mod enclosure;
mod environment;
mod format;
mod ln;
mod rational;
mod wide;
