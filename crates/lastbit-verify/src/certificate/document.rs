//! The certificate as it is written: data only, all numbers as exact decimals or fractions in text.

use serde::{Deserialize, Serialize};

/// The first field of every certificate.
pub const FORMAT: &str = "lastbit snapping certificate 1";

/// A proof that a floating snapping program loses at most `certified`.
///
/// It speaks of all queries f, f' of the format with |f − f'| ≤ Δ (and, without a clamp, within the
/// bound that it states) and of all outputs. Every number is determined by the claim (bounds are
/// rounded up in their 25th digit), so a changed number is a wrong number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// [`FORMAT`].
    pub format: String,
    /// The program and its numbers.
    pub claim: ClaimText,
    /// The loss of the ideal mechanism, Δ_in/λ, as an exact fraction.
    pub epsilon: String,
    /// How far the law of one input can be from the ideal law, by the distance from the input to
    /// the cell.
    pub boxes: Vec<BoundedBox>,
    /// The seven cases of the output.
    pub cases: Vec<Case>,
    /// What rounding adds to the loss: the largest of the cases'.
    pub excess: String,
    /// `epsilon + excess`, rounded up to the last place of `excess`.
    pub certified: String,
}

/// [`super::Claim`] in text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimText {
    /// p.
    pub precision: u32,
    /// Δ.
    pub sensitivity: String,
    /// Operations on f before the clamp.
    pub input: Vec<String>,
    /// Whether the program clamps its input to [−B, B].
    pub clamped: bool,
    /// If it does not: the largest |f| that the certificate is about, B over the factor of the
    /// input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_within: Option<String>,
    /// Operations on `LN(U*)`.
    pub noise: Vec<String>,
    /// Λ.
    pub grid: String,
    /// B.
    pub bound: String,
}

/// The place of an input relative to the cell of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InputPlace {
    /// In the cell.
    Inside,
    /// Outside a cell that has two edges; the distance is to the nearer one.
    Outside,
    /// Outside the cell of −B or B, which has one edge.
    Tail,
}

/// For distances up to `to` (and from the box before): `1 − down ≤ P(x)/P_ideal(x) ≤ 1 + up`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundedBox {
    /// Where the input is.
    pub place: InputPlace,
    /// The largest distance in the box; 0 inside the cell.
    pub to: String,
    /// See the struct.
    pub up: String,
    /// See the struct.
    pub down: String,
}

/// One case of the output x, for f ≤ f'.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Which outputs: one of [`CASES`].
    pub output: String,
    /// How many boxes inside, outside and in the tail f and f' can lie in, counted from the
    /// nearest.
    pub boxes: [usize; 3],
    /// `ln((1 + up)/(1 − down))` over those boxes.
    pub excess: String,
}

/// The seven cases, in order.
pub const CASES: [&str; 7] = [
    "x = -B",
    "-B < x < round(f)",
    "x = round(f)",
    "round(f) < x < round(f')",
    "x = round(f')",
    "round(f') < x < B",
    "x = B",
];
