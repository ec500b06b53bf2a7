//! What is attacked.

use lastbit_exact::Rational;

use super::{naive, shipped, sums};
use crate::audit::{AuditClaim, Side};

/// Which input a draw is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// One of two neighbours,
    A,
    /// and the other.
    B,
    /// An input far away and of the same size, whose time should be the same.
    Far,
}

impl From<Side> for Input {
    fn from(side: Side) -> Input {
        match side {
            Side::A => Input::A,
            Side::B => Input::B,
        }
    }
}

/// A draw that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the target could not be run: {0}")]
pub struct TargetError(String);

impl TargetError {
    /// With the reason.
    pub fn new(reason: impl ToString) -> TargetError {
        TargetError(reason.to_string())
    }
}

pub(super) type Draw = Box<dyn FnMut(Input) -> Result<f64, TargetError>>;
type Oracle = Box<dyn Fn(Side, f64) -> bool>;

/// A mechanism with two neighbouring inputs and the loss that it claims between them.
pub struct Target {
    /// What it claims.
    pub claim: AuditClaim,
    /// The inputs A, B and Far in words.
    pub inputs: [&'static str; 3],
    /// For targets that sum: how far the sum moves between A and B, and how far it is claimed to
    /// move at most.
    pub sums: Option<[Rational; 2]>,
    /// The number around which the noise of each input lies, to tell noise from data; `None` where
    /// an output is a choice.
    pub(super) centres: Option<[f64; 3]>,
    pub(super) draw: Draw,
    pub(super) oracle: Option<Oracle>,
}

impl Target {
    /// A mechanism that draws from an input, its claim and inputs in words, and, where outputs are
    /// numbers, the one around which the noise of each input lies.
    pub fn new(
        claim: AuditClaim,
        inputs: [&'static str; 3],
        centres: Option<[f64; 3]>,
        draw: impl FnMut(Input) -> Result<f64, TargetError> + 'static,
    ) -> Target {
        Target {
            claim,
            inputs,
            sums: None,
            centres,
            draw: Box::new(draw),
            oracle: None,
        }
    }

    pub(super) fn with_oracle(mut self, oracle: impl Fn(Side, f64) -> bool + 'static) -> Target {
        self.oracle = Some(Box::new(oracle));
        self
    }

    /// One output.
    pub fn draw(&mut self, input: Input) -> Result<f64, TargetError> {
        (self.draw)(input)
    }

    /// How far an output is from where its input lies; `None` where an output is a choice and not a
    /// number.
    pub fn noise(&self, input: Input, output: f64) -> Option<f64> {
        let centres = self.centres.as_ref()?;
        Some((output - centres[input as usize]).abs())
    }

    /// Whether the output can come from the input, if that is known exactly.
    pub fn could_come_from(&self, side: Side, output: f64) -> Option<bool> {
        self.oracle.as_ref().map(|oracle| oracle(side, output))
    }

    /// Whether [`Target::could_come_from`] knows.
    pub fn has_oracle(&self) -> bool {
        self.oracle.is_some()
    }
}

/// A named target.
pub struct Entry {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Whether Lastbit ships it, so that no attack may succeed.
    pub is_shipped: bool,
    pub(super) build: fn() -> Result<Target, TargetError>,
}

impl Entry {
    /// Makes it ready to run.
    pub fn build(&self) -> Result<Target, TargetError> {
        (self.build)()
    }
}

/// Every target.
pub fn catalogue() -> Vec<Entry> {
    let mut entries = naive::entries();
    entries.extend(shipped::entries());
    entries.extend(sums::entries());
    entries
}

/// The target of this name.
///
/// ```
/// use lastbit_verify::attack::{Input, find};
/// let mut target = find("snapping-binary64").unwrap().build()?;
/// assert_eq!(target.draw(Input::A)? % 1.0, 0.0);                 // on its grid
/// assert!(find("no-such-thing").is_none());
/// # Ok::<(), lastbit_verify::attack::TargetError>(())
/// ```
pub fn find(name: &str) -> Option<Entry> {
    catalogue().into_iter().find(|entry| entry.name == name)
}
