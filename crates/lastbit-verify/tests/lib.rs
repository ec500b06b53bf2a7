//! The tests that use the public interface alone, in one program: it links once.

mod attack;
mod audit;
mod certificate;
mod exact;
mod language;
mod semantics;
