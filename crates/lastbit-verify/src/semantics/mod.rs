//! What a program computes: over the real numbers, in a p-bit format, and where the two can lie.
//!
//! - [`Instance`]: a program with values for its parameters.
//! - [`Instance::real`]: its value over the real numbers, enclosed as narrowly as asked.
//! - [`Instance::floating`]: its value in a [`Format`](lastbit_exact::Format).
//! - [`Instance::judge`]: the judgement `e_R ⇓ e_F, [lo, hi]` for all inputs in given intervals,
//!   with its [`Derivation`].

mod derivation;
mod floating;
mod inputs;
mod instance;
mod interval;
mod judgement;
mod real;
mod render;

pub use derivation::{Derivation, DerivationRecord, Judgement, JudgementRecord, Rule, StepRecord};
pub use floating::{FloatingRun, Value};
pub use inputs::{Boxes, InputError, Inputs};
pub use instance::{Instance, InstanceError};
