//! The ledger: what was spent, durably, before any noise is drawn.

/// Proof that a loss was durably subtracted from a budget. Only the ledger makes one, and only with one in hand can noise be drawn on
/// data.
#[derive(Debug)]
pub struct Reserved {
    _private: (),
}
