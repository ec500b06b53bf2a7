//! What a mechanism does on a real computer: proved, enumerated, attacked.
//!
//! - [`language`] and [`semantics`]: small programs over real and floating numbers, and where a floating evaluation can lie.
//! - [`certificate`]: proofs that the loss of a floating-point mechanism is bounded, and a checker that does not trust the prover.
//! - [`exact`]: the exact law of the compiled code, by bisection over its random bits, and exhaustive laws at small precisions.
//! - [`attack`] and [`audit`]: ways to break a mechanism, ours or another.
#![forbid(unsafe_code)]

pub mod attack;
pub mod audit;
pub mod certificate;
pub mod exact;
pub mod language;
pub mod semantics;
