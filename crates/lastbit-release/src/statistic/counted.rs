//! A loss in ε or in ρ, as the measure of a chain.

use std::collections::BTreeMap;

use lastbit::measures::{Approximate, Exact, MaxDivergence, Measure, ZeroConcentratedDivergence};
use lastbit::metrics::ContributionDistance;
use lastbit::tables::{
    Aim, Counts, Noise, NoisyNumbers, OffsetsDomain, RankSelection, RanksPure, RanksZcdp,
    ReachDistance,
};
use lastbit::{Error, GridExponent, Measurement};
use lastbit_exact::Rational;

use crate::query::GroupKey;

pub(super) type AboveThreshold<M> = Measurement<
    Counts<GroupKey>,
    ContributionDistance,
    Approximate<Exact<M>>,
    BTreeMap<GroupKey, i64>,
>;
pub(super) type Ranked<M> = Measurement<OffsetsDomain, ReachDistance, Exact<M>, Vec<u64>>;

/// A currency, as the measure of a chain.
pub(super) trait Counted: Measure + Sized
where
    Exact<Self>: Measure,
{
    fn noise(noise: &Noise, grid: GridExponent) -> Result<NoisyNumbers<Self>, Error>;
    fn above(
        noise: &Noise,
        grid: GridExponent,
        threshold: &Rational,
    ) -> Result<AboveThreshold<Self>, Error>;
    fn ranks(selection: &RankSelection, aim: Aim) -> Result<Ranked<Self>, Error>;
}

impl Counted for MaxDivergence {
    fn noise(noise: &Noise, grid: GridExponent) -> Result<NoisyNumbers<Self>, Error> {
        noise.pure(grid)
    }

    fn above(
        noise: &Noise,
        grid: GridExponent,
        threshold: &Rational,
    ) -> Result<AboveThreshold<Self>, Error> {
        noise.above_pure(grid, threshold)
    }

    fn ranks(selection: &RankSelection, aim: Aim) -> Result<RanksPure, Error> {
        selection.pure(aim)
    }
}

impl Counted for ZeroConcentratedDivergence {
    fn noise(noise: &Noise, grid: GridExponent) -> Result<NoisyNumbers<Self>, Error> {
        noise.zcdp(grid)
    }

    fn above(
        noise: &Noise,
        grid: GridExponent,
        threshold: &Rational,
    ) -> Result<AboveThreshold<Self>, Error> {
        noise.above_zcdp(grid, threshold)
    }

    fn ranks(selection: &RankSelection, aim: Aim) -> Result<RanksZcdp, Error> {
        selection.zcdp(aim)
    }
}
