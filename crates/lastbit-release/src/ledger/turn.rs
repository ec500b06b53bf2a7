//! One release at a time from its reservation to its settlement.

use std::path::Path;

use super::lock::Lock;

/// The right to reserve and settle, for one release at a time of all processes. Who asks for the
/// same release meanwhile waits, and finds it settled. It ends with the process, however that ends.
///
/// No budget depends on it: where it cannot be had, because the file system has no locks, the
/// directory takes no new file or somebody keeps it for a minute, releases that are the same may be
/// paid for more than once.
#[must_use = "it ends when it is dropped"]
#[derive(Debug)]
pub(crate) struct Turn {
    _lock: Option<Lock>,
}

impl Turn {
    /// No turn, for a ledger that nobody shares.
    pub(crate) const fn alone() -> Turn {
        Turn { _lock: None }
    }

    /// Waits for the turn on this ledger.
    pub(crate) fn take(ledger: &Path) -> Turn {
        Turn {
            _lock: Lock::turn(ledger),
        }
    }
}
