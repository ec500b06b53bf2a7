//! What several releases cost together, against exact sums and exact laws of the shipped code.

mod accountants;
mod adaptive;
mod failures;
mod parallel;
mod peer_bugs;
mod subsampling;
mod sums;
mod support;
