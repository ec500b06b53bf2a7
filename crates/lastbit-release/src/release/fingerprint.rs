//! The fingerprint of the data of a plan.

use super::ReleaseError;
use crate::engine::Engine;
use crate::plan::{Plan, Source};

/// The fingerprint of the data: the source and all joined tables.
pub(super) fn fingerprint(plan: &Plan, engine: &dyn Engine) -> Result<String, ReleaseError> {
    let of = |source: &Source| engine.fingerprint(source).map_err(ReleaseError::Engine);
    let first = of(&plan.source)?;
    if plan.derive.joins.is_empty() {
        return Ok(first);
    }
    let mut all = blake3::Hasher::new_derive_key("lastbit joined data fingerprint 1");
    all.update(first.as_bytes());
    for join in &plan.derive.joins {
        let one = of(&join.source)?;
        all.update(&(one.len() as u64).to_le_bytes());
        all.update(one.as_bytes());
    }
    Ok(all.finalize().to_hex().to_string())
}
