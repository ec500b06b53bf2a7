//! With a small engine in memory.

mod chains;
mod memory;
mod released;
mod sensitivity;
mod whole;
