//! Audits: a statistical lower bound on the loss of a mechanism that can only be run.
//!
//! Half of the draws choose an event that tells two inputs apart; the other half, not seen by the
//! choice, bounds its two probabilities by Clopper and Pearson, each on the side that makes the
//! bound on the loss smaller. Whatever the choice was, the bound is wrong with probability at most
//! `1 − confidence`.
//!
//! ```
//! use lastbit_noise::entropy::{Entropy, System};
//! use lastbit_verify::audit::{AuditClaim, Output, Side, audit};
//! // A coin that tells the truth 9 times in 10 loses ln 9 ≈ 2.2, and claims 1.
//! let mut entropy = System::default();
//! let mechanism = |side| -> Result<Output, std::convert::Infallible> {
//!     let truth = entropy.word().expect("entropy") % 10 < 9;
//!     Ok(Output::Number(f64::from(truth == (side == Side::A))))
//! };
//! let claim = AuditClaim::pure("1".parse()?);
//! let report = audit(mechanism, 20_000, &claim, &"0.999999999".parse()?)?;
//! assert!(report.refutes_claim() && report.best().lower_bound.get() < 2.2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod binomial;
mod bound;
mod command;
pub(crate) mod event;
mod lines;
mod process;
mod sample;

pub use bound::{AuditClaim, AuditFinding, AuditReport, audit, audit_samples};
pub use command::{AuditLimits, CommandError, LONGEST_LINE, run_command};
pub use event::{Event, Feature};
pub use sample::{Output, Samples, Side};

/// The code in the chapter runs.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/attacks/audit.md")]
struct Chapter;
