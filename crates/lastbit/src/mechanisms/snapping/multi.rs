//! The mechanism at 118 bits or more.

use lastbit_exact::{Dyadic, Format, Rational, Rounding, Short, ShortFormat};
use lastbit_noise::entropy::Entropy;

use super::float::{FloatArithmetic, FloatParameters, FormatArithmetic, ShortArithmetic, noisy};
use super::place::Placement;
use super::setting::{Centring, Setting};
use super::{SnappingError, check_finite};

/// What a release at many bits needs: all public.
#[derive(Clone, Debug)]
pub(super) struct Multi {
    arithmetic: FormatArithmetic,
    parameters: FloatParameters<Dyadic>,
    /// The same in limbs, if they are enough.
    short: Option<ShortMulti>,
    /// Bounds and centre, if they are doubles: then a double needs no rational.
    doubles: Option<(Centring, Dyadic)>,
}

/// See [`Multi`].
#[derive(Clone, Debug)]
struct ShortMulti {
    arithmetic: ShortArithmetic,
    parameters: FloatParameters<Short>,
    /// Bounds and minus the centre, if they are doubles.
    doubles: Option<(Centring, Short)>,
}

impl Multi {
    pub(super) fn new(
        setting: &Setting,
        format: Format,
        parameters: FloatParameters<Dyadic>,
    ) -> Multi {
        let centring = Centring::of(&setting.bounds);
        let doubles = Dyadic::try_from(centring.centre)
            .ok()
            .filter(|_| centring.exact)
            .map(|centre| (centring, centre));
        Multi {
            arithmetic: FormatArithmetic(format),
            short: ShortMulti::new(format, &parameters, &doubles),
            parameters,
            doubles,
        }
    }

    /// One release of a finite double.
    #[inline(never)]
    pub(super) fn draw_f64(
        &self,
        setting: &Setting,
        place: &Placement,
        value: f64,
        entropy: &mut impl Entropy,
    ) -> Result<f64, SnappingError> {
        let not_finite = |_| SnappingError::ValueNotFinite { index: 0, value };
        if let Some(short) = &self.short
            && let Some((centring, minus_centre)) = &short.doubles
        {
            let clamped = Short::try_from(centring.clamp(value)).map_err(not_finite)?;
            let centred = short.arithmetic.add(&clamped, minus_centre);
            return short.noisy(place, &centred, entropy);
        }
        let Some((centring, centre)) = &self.doubles else {
            return self.draw(place, &setting.centred(&check_finite(0, value)?), entropy);
        };
        let clamped = Dyadic::try_from(centring.clamp(value)).map_err(not_finite)?;
        let format = self.arithmetic.0;
        let centred = format.sub(&clamped, centre, Rounding::NearestEven);
        self.noisy(place, &centred, entropy)
    }

    /// One release of an exact value, clamped and centred.
    pub(super) fn draw(
        &self,
        place: &Placement,
        centred: &Rational,
        entropy: &mut impl Entropy,
    ) -> Result<f64, SnappingError> {
        let format = self.arithmetic.0;
        let centred = format.round_rational(centred, Rounding::NearestEven);
        if let Some(short) = &self.short
            && let Some(centred) = Short::of_dyadic(&centred)
        {
            return short.noisy(place, &centred, entropy);
        }
        self.noisy(place, &centred, entropy)
    }

    fn noisy(
        &self,
        place: &Placement,
        centred: &Dyadic,
        entropy: &mut impl Entropy,
    ) -> Result<f64, SnappingError> {
        let (negative, uniform) = self.arithmetic.draw(entropy)?;
        let snapped = noisy(
            &self.arithmetic,
            centred,
            negative,
            &uniform,
            &self.parameters,
        );
        Ok(place.centred_dyadic(&snapped))
    }
}

impl ShortMulti {
    /// `None` if the precision is too large.
    fn new(
        format: Format,
        parameters: &FloatParameters<Dyadic>,
        doubles: &Option<(Centring, Dyadic)>,
    ) -> Option<ShortMulti> {
        let short = |x: &Dyadic| Short::of_dyadic(x);
        Some(ShortMulti {
            arithmetic: ShortArithmetic(ShortFormat::new(format.precision()).ok()?),
            parameters: FloatParameters {
                scale: short(&parameters.scale)?,
                grid_exponent: parameters.grid_exponent,
                bound: short(&parameters.bound)?,
            },
            doubles: match doubles {
                Some((centring, centre)) => Some((*centring, short(&-centre)?)),
                None => None,
            },
        })
    }

    #[inline]
    fn noisy(
        &self,
        place: &Placement,
        centred: &Short,
        entropy: &mut impl Entropy,
    ) -> Result<f64, SnappingError> {
        let (negative, uniform) = self.arithmetic.draw(entropy)?;
        let snapped = noisy(
            &self.arithmetic,
            centred,
            negative,
            &uniform,
            &self.parameters,
        );
        Ok(place.centred_short(&snapped))
    }
}

#[cfg(test)]
mod tests;
