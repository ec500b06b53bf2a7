//! From exact integers to the exact numbers that noise is added to.

use lastbit_exact::{IBig, Rational};

use super::ReleaseError;
use crate::price::{Form, Moment, Steps};
use crate::query::Exact;

/// The numbers of one group: those whose distance between neighbours [`Form::sensitivity`] bounds.
pub fn numbers(form: &Form, exact: &Exact) -> Result<Vec<Rational>, ReleaseError> {
    Ok(match (form, exact) {
        (Form::Counts { .. }, Exact::Rows(rows)) => vec![Rational::from(*rows)],
        (Form::Counts { .. }, Exact::Counts(counts)) => {
            counts.iter().map(|&count| Rational::from(count)).collect()
        }
        (Form::Sum { x, .. }, Exact::Moments { rows, sum, .. }) => {
            let steps = Rational::from(sum.clone()).scale(i64::from(x.grid.exponent()));
            vec![&Rational::from(*rows) * &x.lower() + steps]
        }
        (Form::Fixed { moment, rows }, exact) => vec![fixed(moment, *rows, exact)?],
        (Form::Shared { moment }, exact) => shared(moment, exact)?,
        _ => return Err(ReleaseError::unexpected()),
    })
}

/// The statistic itself, over a public number of rows.
fn fixed(moment: &Moment, public: u64, exact: &Exact) -> Result<Rational, ReleaseError> {
    let check = |rows: u64| {
        if rows == public {
            return Ok(IBig::from(rows));
        }
        Err(ReleaseError::Rows {
            plan: public,
            data: rows,
        })
    };
    let step = |x: &Steps| i64::from(x.grid.exponent());
    Ok(match (moment, exact) {
        (Moment::Mean(x), Exact::Moments { rows, sum, .. }) => {
            x.value(&Rational::new(sum.clone(), check(*rows)?))
        }
        (Moment::Variance(x), Exact::Moments { rows, sum, squares }) => {
            let n = check(*rows)?;
            let spread = &n * squares - sum * sum;
            Rational::new(spread, &n * (&n - IBig::ONE)).scale(2 * step(x))
        }
        (
            Moment::Covariance(x, y),
            Exact::Products {
                rows,
                sum_x,
                sum_y,
                products,
            },
        ) => {
            let n = check(*rows)?;
            let spread = &n * products - sum_x * sum_y;
            Rational::new(spread, &n * (&n - IBig::ONE)).scale(step(x) + step(y))
        }
        _ => return Err(ReleaseError::unexpected()),
    })
}

/// The shares of the corners, in rows: nonnegative, and of a sum that is the number of rows. See [`Moment::corners`].
fn shared(moment: &Moment, exact: &Exact) -> Result<Vec<Rational>, ReleaseError> {
    let over = |numerator: &IBig, denominator: &IBig| {
        Rational::new(numerator.clone(), denominator.clone())
    };
    Ok(match (moment, exact) {
        (Moment::Mean(x), Exact::Moments { rows, sum, .. }) => {
            let upper = over(sum, &IBig::from(x.count));
            vec![&Rational::from(*rows) - &upper, upper]
        }
        (Moment::Variance(x), Exact::Moments { rows, sum, squares }) => {
            let d = IBig::from(x.count);
            let square = &d * &d;
            let upper = over(squares, &square);
            let middle = over(&((&d * sum - squares) << 1), &square);
            vec![
                &Rational::from(*rows) - &middle - upper.clone(),
                middle,
                upper,
            ]
        }
        (
            Moment::Covariance(x, y),
            Exact::Products {
                rows,
                sum_x,
                sum_y,
                products,
            },
        ) => {
            let (d, e) = (IBig::from(x.count), IBig::from(y.count));
            let both = over(products, &(&d * &e));
            let only_x = &over(sum_x, &d) - &both;
            let only_y = &over(sum_y, &e) - &both;
            let neither = &Rational::from(*rows) - &only_x - only_y.clone() - both.clone();
            vec![neither, only_x, only_y, both]
        }
        _ => return Err(ReleaseError::unexpected()),
    })
}

/// The statistic of shares, exact or noisy, over their sum; `None` if the sum is too small. With divisor n − 1 but for means.
pub fn ratio(moment: &Moment, shares: &[Rational]) -> Option<Rational> {
    let rows = shares
        .iter()
        .fold(Rational::ZERO, |sum, share| &sum + share);
    let least = Rational::from(moment.least_rows() - 1);
    if rows <= least {
        return None;
    }
    let over = |number: &Rational| number / &rows;
    let bessel = || &rows / &(&rows - &Rational::ONE);
    Some(match (moment, shares) {
        (Moment::Mean(x), [_, upper]) => &x.lower() + &(&x.width() * &over(upper)),
        (Moment::Variance(_), [_, middle, upper]) => {
            let mean = over(&(&middle.scale(-1) + upper));
            let spread = &over(upper) - &(&mean * &mean);
            moment.width() * spread * bessel()
        }
        (Moment::Covariance(..), [_, only_x, only_y, both]) => {
            let (x, y) = (over(&(only_x + both)), over(&(only_y + both)));
            let spread = &over(both) - &(&x * &y);
            moment.width() * spread * bessel()
        }
        _ => return None,
    })
}
