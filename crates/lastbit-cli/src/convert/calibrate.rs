//! The largest loss that each of several releases may have.

use std::io::Write;

use anyhow::{Result, bail};
use lastbit::accounting::{Pair, calibrate, gaussian_mu_squared};
use lastbit_exact::{Down, Rational};
use serde_json::json;

use super::source::{Kind, Source};
use super::{Convert, missing};
use crate::Usage;
use crate::number::{at_least, json_lower, lower};

impl Convert {
    /// `--calibrate KIND:E`: E is the ε of all together.
    pub(super) fn calibrate(&self, out: &mut impl Write, target: &Source) -> Result<()> {
        let Some(delta) = &self.delta else {
            missing("a calibration needs the δ that all releases may spend together, --delta D")
        };
        let count = self.releases.unwrap_or(1);
        let (epsilon, rate) = (&target.value, &self.sampled);
        let mut asked = target.clone();
        asked.sampled = rate.clone();
        if let Some(why) = asked.refusal() {
            bail!(Usage(why.to_owned()));
        }
        let whole = u64::try_from(target.second.floor()).unwrap_or(u64::MAX);
        let sampled = |pair: Result<Pair, lastbit::Error>| match rate {
            Some(rate) => pair.and_then(|pair| pair.poisson_sampled(rate)),
            None => pair,
        };
        let by = |pair: &dyn Fn(&Rational) -> Result<Pair, lastbit::Error>| {
            let each = calibrate(|x| sampled(pair(x)), count, epsilon, delta)?;
            Ok::<_, lastbit::Error>(Down::from_rational(&each))
        };
        let (name, each) = match target.kind {
            Kind::Gaussian if rate.is_none() => {
                let squared = gaussian_mu_squared(epsilon, delta)?;
                let each = Rational::try_from(squared.get())? / Rational::from(count);
                ("Δ/σ", Down::from_rational(&each).sqrt())
            }
            Kind::Gaussian => ("Δ/σ", by(&Pair::gaussian)?),
            Kind::Pure => ("ε", by(&Pair::pure)?),
            Kind::Laplace => ("ε", by(&Pair::laplace)?),
            Kind::Range => ("η", by(&Pair::bounded_range)?),
            Kind::Geometric => ("ε", by(&|x| Pair::geometric(x, whole))?),
            Kind::Response => ("ε", by(&|x| Pair::response(x, whole))?),
            Kind::Zcdp | Kind::Approx => {
                bail!("calibrate pure, laplace, range, gaussian, geometric or response")
            }
        };
        if self.json {
            let value = json!({
                "releases": count,
                "epsilon": crate::number::json_given(epsilon),
                "delta": crate::number::json_given(delta),
                "each": json_lower(each),
            });
            writeln!(out, "{value}")?;
            return Ok(());
        }
        writeln!(
            out,
            "Each of {count} releases may have {name} = {}: together they cost ε = {} at δ = {}.",
            lower(each),
            at_least(epsilon),
            at_least(delta)
        )?;
        Ok(())
    }
}
