//! Certificates of the loss of floating-point snapping, and their checker.
//!
//! [`prove`] bounds the loss of a [`Claim`], a floating snapping program with its numbers, for all
//! inputs in its bounds and all outputs, and writes the bound down as a [`Certificate`]; [`check`]
//! accepts a certificate or names its first bad step, and shares no code with the prover.
//! [`prove_program`] does it for a program of the language, or says where the proof fails;
//! [`search`] then looks for two inputs that the program tells apart. Theorem and proof:
//! `docs/verification.md`.

mod check;
mod claim;
mod coq;
mod corners;
mod decimal;
mod document;
mod premise;
mod prove;
mod recognise;
mod refute;
mod report;

pub use check::{Accepted, BadStep, Operation, Stated, check, check_json};
pub use claim::{Claim, Factor};
pub use coq::coq;
pub use corners::corner_claims;
pub use document::{BoundedBox, CASES, Case, Certificate, ClaimText, FORMAT, InputPlace};
pub use premise::{Premise, Refusal};
pub use prove::prove;
pub use recognise::{Gap, prove_program};
pub use refute::{Finding, search};
pub use report::{CertificateReport, Formula, smallest_slope};
