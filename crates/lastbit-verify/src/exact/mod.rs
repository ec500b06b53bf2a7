//! The exact law of the compiled code.
