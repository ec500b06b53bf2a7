//! With a small engine in memory.

mod memory;
mod released;
mod sensitivity;
