//! A release as one measurement: the composition of the chains that are drawn.
//!
//! The chains are asked one after the other, because statistics of discovered groups cover the
//! groups that a count published before them. So the composition is adaptive: their losses are
//! declared beforehand, and each chain is refused if its map at one unit is above its own. A map
//! depends neither on which groups are covered ([`Pick`]) nor on where their integers are
//! ([`Slot`](super::Slot)), so that the losses are known before any data are read.

use std::sync::Arc;

use lastbit::Error;
use lastbit::composition::{Budgeted, Composable, Declared, Interactive, Queryable, adaptive};
use lastbit::measures::{Approximate, Exact, MaxDivergence, WithDelta, ZeroConcentratedDivergence};
use lastbit::tables::{TableDomain, UnitDistance};
use lastbit_exact::Rational;
use lastbit_noise::entropy::Entropy;

use super::chain::{LossUnit, Paid, Scan};
use super::counted::Counted;
use super::groups::{Drawn, Pick};
use crate::ledger::Reserved;
use crate::query::{Answer, Sealed};

/// A release with its loss in one of the currencies: from the table to what answers its chains.
type ComposedRelease<M> =
    Interactive<TableDomain<Scan>, UnitDistance, Declared<Approximate<Exact<M>>>>;

/// A table that answers the chains of a release.
type Asked<M> = Queryable<TableDomain<Scan>, UnitDistance, Declared<Approximate<Exact<M>>>>;

/// A release: its chains, composed.
pub struct Whole(
    InEither<ComposedRelease<MaxDivergence>, ComposedRelease<ZeroConcentratedDivergence>>,
);

/// One value in ε or in ρ.
enum InEither<E, R> {
    Epsilon(E),
    Rho(R),
}

impl Whole {
    /// The composition of these chains, which are drawn in this order.
    pub fn new(unit: LossUnit, drawn: &[Paid<'_>]) -> Result<Whole, Error> {
        Ok(Whole(match unit {
            LossUnit::Epsilon => InEither::Epsilon(composed(MaxDivergence, drawn)?),
            LossUnit::Rho => InEither::Rho(composed(ZeroConcentratedDivergence, drawn)?),
        }))
    }

    /// What the release costs: its map at one unit.
    pub fn loss(&self) -> Result<WithDelta<Rational>, Error> {
        match &self.0 {
            InEither::Epsilon(release) => release.map(&1),
            InEither::Rho(release) => release.map(&1),
        }
    }

    /// Opens an answer. This is the only way from a sealed answer to noise, and it needs the proof
    /// that the loss was spent.
    pub fn open(&self, answer: &Sealed<Answer>, reserved: &Reserved) -> Result<Drawing, Error> {
        let answer = answer.open(reserved);
        self.ask(&(Arc::new(move || Ok(Arc::clone(&answer))) as Scan))
    }

    /// The same for a table that was not sealed.
    pub(crate) fn ask(&self, table: &Scan) -> Result<Drawing, Error> {
        Ok(Drawing(match &self.0 {
            InEither::Epsilon(release) => InEither::Epsilon(release.invoke(table)?),
            InEither::Rho(release) => InEither::Rho(release.invoke(table)?),
        }))
    }
}

/// A release that is being drawn.
pub struct Drawing(InEither<Asked<MaxDivergence>, Asked<ZeroConcentratedDivergence>>);

impl Drawing {
    /// Draws the next statistic, for these groups.
    pub fn draw(
        &mut self,
        paid: &Paid<'_>,
        pick: Pick,
        entropy: &mut dyn Entropy,
    ) -> Result<Drawn, Error> {
        match &mut self.0 {
            InEither::Epsilon(asked) => asked.ask_with(&paid.pure(pick)?, entropy),
            InEither::Rho(asked) => asked.ask_with(&paid.zcdp(pick)?, entropy),
        }
    }
}

fn composed<M: Counted>(measure: M, drawn: &[Paid<'_>]) -> Result<ComposedRelease<M>, Error>
where
    Exact<M>: Composable<Distance = Rational> + Budgeted,
{
    let Some(first) = drawn.first() else {
        return Err(Error::other("nothing is drawn"));
    };
    let loss = |paid: &Paid<'_>| paid.whole::<M>(Pick::All)?.map(&1);
    let losses: Vec<WithDelta<Rational>> = drawn.iter().map(loss).collect::<Result<_, _>>()?;
    adaptive(
        TableDomain::new(),
        *first.chain.table.input_metric(),
        Approximate(Exact(measure)),
        1,
        losses,
    )
}
