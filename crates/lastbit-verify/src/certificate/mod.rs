//! Certificates of the loss of floating-point mechanisms, and their checker.
