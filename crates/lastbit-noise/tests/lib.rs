//! The tests that use the public interface alone, in one program: it links once.
//!
//! `entropy` forks: the children draw, write to a pipe and leave, and touch nothing that another
//! thread may hold.

mod entropy;
mod gaussian;
mod geometric;
mod laplace;
mod law;
