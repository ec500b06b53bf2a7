use lastbit_exact::{Integer, Rational};

use super::TransformationError;
use super::rows::{RowMetric, at_most_one_row_each, map_rows};
use crate::domains::{Atom, AtomDomain, Domain, Number, VectorDomain};
use crate::metrics::SymmetricDistance;
use crate::{Error, MetricSpace, Transformation};

type Dropped<D, M, T> =
    Transformation<VectorDomain<D>, M, VectorDomain<AtomDomain<T>>, SymmetricDistance>;

/// A cell that may be read as a `T`.
///
/// | from | to | read | not read |
/// |---|---|---|---|
/// | text | numbers | a number with spaces around it; nearest f64 | `nan`, `inf`, out of range, … |
/// | text | `bool` | `true`, `false` in any case, `1`, `0` | anything else |
/// | number | number | the same value | NaN, ±∞, a value that the target does not have exactly |
/// | number | `bool` | 0, 1 | anything else |
/// | `bool` | number | 0, 1 | – |
/// | any | text | as displayed | NaN, ±∞ |
/// | `Option` | any | as its value | none |
///
/// So a cast never yields NaN or an infinity, and never rounds a number that was one before.
///
/// ```
/// use lastbit::transformations::CastTo;
/// assert_eq!(CastTo::<f64>::cast_to(&" 2.5 ".to_string()), Some(2.5));
/// assert_eq!(CastTo::<f64>::cast_to(&"nan".to_string()), None);
/// assert_eq!(CastTo::<i64>::cast_to(&2.0), Some(2));
/// assert_eq!(CastTo::<i64>::cast_to(&2.5), None);
/// assert_eq!(CastTo::<f64>::cast_to(&((1_i64 << 53) + 1)), None);
/// ```
pub trait CastTo<T> {
    /// The value read, or nothing.
    fn cast_to(&self) -> Option<T>;
}

/// Each row read as a `T`, or an error that names the first row that cannot be read.
///
/// For those who may see the data, before it enters a domain. It is no transformation: a release
/// must not fail on data of its domain. A failure, and the row that it names, is a fact about the
/// data that no loss accounts for. Where rows may be bad, chain [`cast_or_drop`] or
/// [`cast_or_replace`].
///
/// ```
/// use lastbit::transformations::cast_or_refuse;
/// let read = |rows: [&str; 2]| cast_or_refuse::<i64, _>(&rows.map(String::from));
/// assert_eq!(read(["3", "-8"])?, [3, -8]);
/// assert_eq!(
///     read(["3", "eight"]).unwrap_err().to_string(),
///     "row 1 cannot be read as i64; mend the row, or use cast_or_drop or cast_or_replace"
/// );
/// # Ok::<(), lastbit::transformations::TransformationError>(())
/// ```
pub fn cast_or_refuse<T: Atom, A: CastTo<T>>(rows: &[A]) -> Result<Vec<T>, TransformationError> {
    let read = |(row, cell): (usize, &A)| {
        let target = T::NAME;
        cell.cast_to()
            .ok_or(TransformationError::Unreadable { row, target })
    };
    rows.iter().enumerate().map(read).collect()
}

/// Each row read as a `T`; rows that cannot be read are left out. `d_out = d_in` for rows added or
/// removed, `2·d_in` for rows changed.
///
/// The number of rows is not public any more, even if it was before.
///
/// *Proof.* Each row of the input gives at most one of the output, and that is a function of the
/// row. So a row added or removed adds or removes at most one; a row changed removes at most one
/// and adds at most one, and two readable values reach both. ∎
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::ChangeOneDistance;
/// use lastbit::transformations::cast_or_drop;
/// let measured = VectorDomain::new(AtomDomain::<f64>::new().nullable()).with_size(3);
/// let known = cast_or_drop::<f64, _, _>(measured, ChangeOneDistance)?;
/// assert_eq!(known.invoke(&vec![1.5, f64::NAN, 2.0])?, [1.5, 2.0]);
/// assert_eq!(known.map(&1)?, 2);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn cast_or_drop<T, D, M>(domain: VectorDomain<D>, metric: M) -> Result<Dropped<D, M, T>, Error>
where
    T: Atom,
    D: Domain<Carrier: CastTo<T>>,
    M: RowMetric,
    VectorDomain<D>: MetricSpace<M, Carrier = Vec<D::Carrier>>,
{
    let size = domain.size();
    Transformation::new(
        domain,
        metric,
        VectorDomain::new(AtomDomain::new()),
        SymmetricDistance,
        |rows| Ok(rows.iter().filter_map(CastTo::cast_to).collect()),
        at_most_one_row_each::<M>(size),
    )
}

/// Each row read as a `T`; rows that cannot be read become a public value. `d_out = d_in`.
///
/// *Proof.* A function of one row, see [`map_rows`]. ∎
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::SymmetricDistance;
/// use lastbit::transformations::cast_or_replace;
/// let text = VectorDomain::new(AtomDomain::<String>::new());
/// let read = cast_or_replace(text, SymmetricDistance, 0.0)?;
/// assert_eq!(read.invoke(&vec!["3.5".into(), "n/a".into()])?, [3.5, 0.0]);
/// assert!(read.output_domain().element().is_regular());
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn cast_or_replace<T, D, M>(
    domain: VectorDomain<D>,
    metric: M,
    replacement: T,
) -> Result<Transformation<VectorDomain<D>, M, VectorDomain<AtomDomain<T>>, M>, Error>
where
    T: Atom,
    D: Domain<Carrier: CastTo<T>>,
    M: RowMetric,
    VectorDomain<D>: MetricSpace<M, Carrier = Vec<D::Carrier>>,
    VectorDomain<AtomDomain<T>>: MetricSpace<M, Carrier = Vec<T>>,
{
    let output = AtomDomain::new();
    super::resize::check_constant("replacement", &replacement, &output)?;
    map_rows(domain, metric, output, move |cell| {
        cell.cast_to().unwrap_or_else(|| replacement.clone())
    })
}

impl<T, A: CastTo<T>> CastTo<T> for Option<A> {
    fn cast_to(&self) -> Option<T> {
        self.as_ref()?.cast_to()
    }
}

macro_rules! cast {
    ($($from:ty => $to:ty: |$cell:ident| $read:expr;)*) => {
        $(impl CastTo<$to> for $from {
            fn cast_to(&self) -> Option<$to> {
                let $cell = self;
                $read
            }
        })*
    };
}

macro_rules! from_number {
    ($($from:ty),*) => {
        $(cast! {
            $from => i64: |x| i64::try_from(whole(x)?).ok();
            $from => u64: |x| u64::try_from(whole(x)?).ok();
            $from => Integer: |x| whole(x);
            $from => Rational: |x| x.to_rational();
            $from => f64: |x| nearest_if_exact(x);
            $from => bool: |x| truth(&x.to_rational()?);
            $from => String: |x| x.is_regular().then(|| x.to_string());
        })*
    };
}
from_number!(i64, u64, f64, Integer, Rational);

cast! {
    String => i64: |text| text.trim().parse().ok();
    String => u64: |text| text.trim().parse().ok();
    String => Integer: |text| whole(&text.parse::<Rational>().ok()?);
    String => Rational: |text| text.parse().ok();
    String => f64: |text| text.trim().parse().ok().filter(|x: &f64| x.is_finite());
    String => bool: |text| truth_of_text(text.trim());
    String => String: |text| Some(text.clone());
    bool => i64: |truth| Some(i64::from(*truth));
    bool => u64: |truth| Some(u64::from(*truth));
    bool => Integer: |truth| Some(Integer::from(*truth));
    bool => Rational: |truth| Some(Rational::from(u64::from(*truth)));
    bool => f64: |truth| Some(f64::from(u8::from(*truth)));
    bool => bool: |truth| Some(*truth);
    bool => String: |truth| Some(truth.to_string());
}

fn whole(x: &impl Number) -> Option<Integer> {
    let exact = x.to_rational()?;
    let floor = exact.floor();
    (Rational::from(floor.clone()) == exact).then_some(floor)
}

fn nearest_if_exact<T: Number>(x: &T) -> Option<f64> {
    let exact = x.to_rational()?;
    let nearest = exact.to_f64(lastbit_exact::Rounding::NearestEven);
    (Rational::try_from(nearest).ok()? == exact).then_some(nearest)
}

fn truth(x: &Rational) -> Option<bool> {
    match x {
        x if x.is_zero() => Some(false),
        x if *x == Rational::ONE => Some(true),
        _ => None,
    }
}

fn truth_of_text(text: &str) -> Option<bool> {
    match text {
        "1" => Some(true),
        "0" => Some(false),
        _ if text.eq_ignore_ascii_case("true") => Some(true),
        _ if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}
