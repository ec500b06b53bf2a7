//! Tells a process that it was forked.
//!
//! A child of `fork` starts with a copy of its parent's memory, random generators included. Whoever
//! must not repeat the parent's draws keeps the [`generation`] beside its state and starts afresh
//! when the number has changed.
//!
//! | platform | means | sees |
//! |---|---|---|
//! | Linux, Android | a page that the kernel empties in a child | `fork` and bare `clone` |
//! | other Unix, older kernels | a `pthread_atfork` handler | `fork` |
//! | Unix where both are refused | every call is a new generation | everything |
//! | elsewhere | there is no `fork`: one generation | |
//!
//! The first is `MADV_WIPEONFORK`, since Linux 4.14; it sees a `clone` that does not go through the
//! C library, too. Where every call is a new generation, every call costs a restart.
//!
//! A restored snapshot of a virtual machine is not a fork, and is not seen.
#![deny(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

#[cfg(unix)]
mod unix;

/// A number, never zero, that stays the same in a process and differs in a child after `fork`, and
/// in each of its children from those of all its ancestors.
///
/// Costs two loads after the first call; takes no lock and allocates nothing, so it may be called
/// in any thread and in a child of a process with threads.
///
/// ```
/// let before = lastbit_fork::generation();
/// assert_eq!(std::thread::spawn(lastbit_fork::generation).join().unwrap(), before);
/// assert_eq!(lastbit_fork::generation(), before);
/// ```
#[inline]
pub fn generation() -> u64 {
    #[cfg(unix)]
    return unix::generation();
    #[cfg(not(unix))]
    return 1;
}
