//! The mechanism at 118 bits or more.

use lastbit_exact::{Dyadic, Format, Rational, Rounding};
use lastbit_noise::entropy::Entropy;

use super::float::{FloatArithmetic, FloatParameters, FormatArithmetic, noisy};
use super::place::Placement;
use super::setting::{Centring, Setting};
use super::{SnappingError, check_finite};

/// What a release at many bits needs: all public.
#[derive(Clone, Debug)]
pub(super) struct Multi {
    arithmetic: FormatArithmetic,
    parameters: FloatParameters<Dyadic>,
    /// Bounds and centre, if they are doubles: then a double needs no rational.
    doubles: Option<(Centring, Dyadic)>,
}

impl Multi {
    pub(super) fn new(
        setting: &Setting,
        format: Format,
        parameters: FloatParameters<Dyadic>,
    ) -> Multi {
        let centring = Centring::of(&setting.bounds);
        let centre = Dyadic::try_from(centring.centre).ok();
        Multi {
            arithmetic: FormatArithmetic(format),
            parameters,
            doubles: centre
                .filter(|_| centring.exact)
                .map(|centre| (centring, centre)),
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
        let Some((centring, centre)) = &self.doubles else {
            return self.draw(place, &setting.centred(&check_finite(0, value)?), entropy);
        };
        let clamped = Dyadic::try_from(centring.clamp(value))
            .map_err(|_| SnappingError::ValueNotFinite { index: 0, value })?;
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
