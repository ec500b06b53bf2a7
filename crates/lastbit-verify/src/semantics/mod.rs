//! Where a floating evaluation can lie.
