//! Whether this process was forked while a ledger was open.
//!
//! SQLite keeps in memory which locks it has, and a child after `fork` has that memory, but not the
//! locks. So a child of a process that had a ledger open at that moment, in whatever thread, can
//! use no ledger.

use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// How many ledgers are open in this process; copied into a child.
static OPEN: AtomicUsize = AtomicUsize::new(0);

/// The generation of the process that counts them; zero before the first.
static COUNTED_BY: AtomicU64 = AtomicU64::new(0);

/// A ledger that is open, counted until this is dropped.
#[derive(Debug)]
pub(super) struct Counted {
    generation: u64,
}

impl Counted {
    /// Counts one more; `None` in a child that must not open any.
    pub(super) fn one() -> Option<Counted> {
        let generation = lastbit_fork::generation();
        let by = COUNTED_BY.load(Ordering::Acquire);
        if by != generation {
            if OPEN.load(Ordering::Acquire) > 0 {
                return None;
            }
            // Another thread may do the same, with the same number.
            COUNTED_BY.store(generation, Ordering::Release);
        }
        OPEN.fetch_add(1, Ordering::AcqRel);
        Some(Counted { generation })
    }

    /// Whether the process that opened it is this one.
    pub(super) fn is_ours(&self) -> bool {
        self.generation == lastbit_fork::generation()
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        OPEN.fetch_sub(1, Ordering::AcqRel);
    }
}
