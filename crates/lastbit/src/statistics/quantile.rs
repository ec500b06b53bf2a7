use super::{Extent, Neighbours, StatisticError};
use crate::Bounds;

/// A quantile (any order statistic) of rows in `[a, b]`: range `[a, b]`, sensitivity `b − a` under
/// both relations.
///
/// One row can move a quantile across the whole range, so noise scaled to this sensitivity hides
/// every answer, however many rows there are. That is why quantiles are not released by adding
/// noise to the value: a *selection* mechanism chooses an answer by its rank, which one row moves
/// by at most 1, and a *smooth* mechanism scales its noise to the data at hand.
///
/// *Proof.* The value is a row, so it lies in `[a, b]` and moves by at most `b − a`. Change-one
/// reaches it at the `k`-th smallest of `n` rows: `k−1` rows `a`, `n−k` rows `b`, one row changed
/// from `a` to `b`. Add/remove, with rank `k` among `n` rows and `k'` among `n+1`, where `k' = k`
/// or `k' = k+1`: if `k' = k`, add `a` to `k−1` rows `a` and `n−k+1` rows `b`; if `k' = k+1`, add
/// `b` to `k` rows `a` and `n−k` rows `b`. ∎
pub fn quantile(bounds: &Bounds, neighbours: Neighbours) -> Result<Extent, StatisticError> {
    neighbours.need(1, "quantile")?;
    Ok(Extent::new(
        bounds.lower().clone(),
        bounds.upper().clone(),
        bounds.upper() - bounds.lower(),
    ))
}
