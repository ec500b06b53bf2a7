use std::collections::BTreeMap;

use lastbit_exact::Rational;

use super::TransformationError;
use crate::Error;
use crate::domains::{Atom, AtomDomain, Domain, Number, OptionDomain, Ordered};

/// A public way to sort every value of a domain into exactly one of at least two bins.
///
/// ```
/// use lastbit::transformations::{Binning, Edges};
/// use lastbit::domains::AtomDomain;
/// let ages = Edges::new([0_i64, 18, 65])?;
/// assert_eq!(Binning::<AtomDomain<i64>>::bins(&ages), 4);
/// assert_eq!(Binning::<AtomDomain<i64>>::bin(&ages, &18), 2);
/// # Ok::<(), lastbit::transformations::TransformationError>(())
/// ```
pub trait Binning<D: Domain>: Clone + Send + Sync + 'static {
    /// Refuses a domain with values that no bin is for.
    fn check(&self, domain: &D) -> Result<(), Error>;

    /// The number of bins, at least 2.
    fn bins(&self) -> usize;

    /// The bin of a value of a domain that passed the check.
    fn bin(&self, value: &D::Carrier) -> usize;
}

/// Numeric bins between public edges, half open: an edge belongs to the bin above it.
///
/// `k` edges make `k + 1` bins: below the first, `[e_0, e_1)`, …, `[e_(k−2), e_(k−1))`, and from
/// the last upward. So the bins cover every number, and a value out of range is counted rather than
/// lost. With [`Edges::closed`] the last edge belongs to the bin below it; with
/// [`Edges::with_null_bin`] there is one more bin, the last, for missing values.
///
/// ```
/// use lastbit::transformations::Edges;
/// let ages = Edges::new([0_i64, 18, 65])?;
/// assert_eq!(ages.labels(), ["(-∞, 0)", "[0, 18)", "[18, 65)", "[65, ∞)"]);
/// let grades = Edges::new([0.0, 50.0, 100.0])?.closed().with_null_bin();
/// assert_eq!(grades.labels(), ["(-∞, 0)", "[0, 50)", "[50, 100]", "(100, ∞)", "null"]);
/// # Ok::<(), lastbit::transformations::TransformationError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Edges<T> {
    /// At least 2, regular, strictly increasing.
    edges: Vec<T>,
    closed: bool,
    null_bin: bool,
}

impl<T: Ordered> Edges<T> {
    /// At least 2 finite edges that increase strictly.
    pub fn new(edges: impl Into<Vec<T>>) -> Result<Edges<T>, TransformationError> {
        let edges = edges.into();
        if edges.len() < 2 {
            return Err(TransformationError::TooFewEdges(edges.len()));
        }
        if let Some(edge) = edges.iter().find(|edge| !edge.is_regular()) {
            return Err(TransformationError::EdgeNotFinite(edge.to_string()));
        }
        if let Some(pair) = edges
            .windows(2)
            .find(|pair| pair[0].compare(&pair[1]).is_ge())
        {
            return Err(TransformationError::EdgesNotIncreasing {
                left: pair[0].to_string(),
                right: pair[1].to_string(),
            });
        }
        Ok(Edges {
            edges,
            closed: false,
            null_bin: false,
        })
    }

    /// The last edge belongs to the bin below it.
    pub fn closed(mut self) -> Edges<T> {
        self.closed = true;
        self
    }

    /// One more bin, the last, for missing values.
    pub fn with_null_bin(mut self) -> Edges<T> {
        self.null_bin = true;
        self
    }

    /// The edges.
    pub fn edges(&self) -> &[T] {
        &self.edges
    }

    /// What each bin holds, in order.
    pub fn labels(&self) -> Vec<String> {
        let last = self.edges.len() - 1;
        let mut labels = vec![format!("(-∞, {})", self.edges[0])];
        for (i, pair) in self.edges.windows(2).enumerate() {
            let end = if self.closed && i + 1 == last {
                ']'
            } else {
                ')'
            };
            labels.push(format!("[{}, {}{end}", pair[0], pair[1]));
        }
        let start = if self.closed { '(' } else { '[' };
        labels.push(format!("{start}{}, ∞)", self.edges[last]));
        if self.null_bin {
            labels.push("null".to_string());
        }
        labels
    }

    fn count(&self) -> usize {
        self.edges.len() + 1 + usize::from(self.null_bin)
    }

    fn place(&self, value: &T) -> usize {
        if value.is_null() {
            return self.count() - 1;
        }
        let at_or_below = self
            .edges
            .partition_point(|edge| edge.compare(value).is_le());
        let at_last =
            at_or_below == self.edges.len() && self.edges[at_or_below - 1].compare(value).is_eq();
        at_or_below - usize::from(self.closed && at_last)
    }

    fn need_null_bin(&self, nulls: bool, domain: &impl Domain) -> Result<(), Error> {
        if self.null_bin || !nulls {
            return Ok(());
        }
        Err(TransformationError::Irregular {
            domain: domain.to_string(),
            what: "binning by edges",
            remedy: "add Edges::with_null_bin, or use cast_or_drop or cast_or_replace first",
        }
        .into())
    }
}

impl<T: Number> Edges<T> {
    /// The value at a fraction of the way through a bin, for a quantile; the nearest edge for bins
    /// that have only one, and none for the bin of missing values.
    ///
    /// ```
    /// use lastbit::transformations::Edges;
    /// use lastbit::Rational;
    /// let ages = Edges::new([0_i64, 18, 65])?;
    /// assert_eq!(ages.value(1, &Rational::new(1, 2)).unwrap().to_string(), "9");
    /// assert_eq!(ages.value(3, &Rational::new(1, 2)).unwrap().to_string(), "65");
    /// # Ok::<(), lastbit::transformations::TransformationError>(())
    /// ```
    pub fn value(&self, bin: usize, fraction: &Rational) -> Option<Rational> {
        let edge = |i: usize| self.edges.get(i).and_then(Number::to_rational);
        match bin {
            0 => edge(0),
            _ if bin < self.edges.len() => {
                let (low, high) = (edge(bin - 1)?, edge(bin)?);
                let fraction = fraction.clamp_to(&Rational::ZERO, &Rational::ONE);
                Some(&low + &((&high - &low) * fraction))
            }
            _ if bin == self.edges.len() => edge(bin - 1),
            _ => None,
        }
    }
}

impl<T: Ordered> Binning<AtomDomain<T>> for Edges<T> {
    fn check(&self, domain: &AtomDomain<T>) -> Result<(), Error> {
        self.need_null_bin(domain.is_nullable(), domain)
    }

    fn bins(&self) -> usize {
        self.count()
    }

    fn bin(&self, value: &T) -> usize {
        self.place(value)
    }
}

impl<T: Ordered> Binning<OptionDomain<AtomDomain<T>>> for Edges<T> {
    fn check(&self, domain: &OptionDomain<AtomDomain<T>>) -> Result<(), Error> {
        self.need_null_bin(true, domain)
    }

    fn bins(&self) -> usize {
        self.count()
    }

    fn bin(&self, value: &Option<T>) -> usize {
        match value {
            Some(value) => self.place(value),
            None => self.count() - 1,
        }
    }
}

/// One bin for each of a public list of values, in its order, and a last one for all others,
/// missing values among them.
///
/// The list must be public: categories read off the data tell who is in it (for those, see
/// [`count_by_key`](super::count_by_key)).
///
/// ```
/// use lastbit::transformations::CategoryBins;
/// let regions = CategoryBins::new(["north", "south"].map(String::from))?;
/// assert_eq!(regions.labels(), ["north", "south", "other"]);
/// assert_eq!(
///     CategoryBins::new(["a", "b", "a"].map(String::from)).unwrap_err().to_string(),
///     "category `a` is listed twice; list each once"
/// );
/// # Ok::<(), lastbit::transformations::TransformationError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CategoryBins<T: Ord> {
    /// Every category with its bin.
    bins: BTreeMap<T, usize>,
}

impl<T: Atom + Ord> CategoryBins<T> {
    /// At least one category, none of them twice.
    pub fn new(
        categories: impl IntoIterator<Item = T>,
    ) -> Result<CategoryBins<T>, TransformationError> {
        let mut bins = BTreeMap::new();
        for (bin, category) in categories.into_iter().enumerate() {
            if bins.contains_key(&category) {
                return Err(TransformationError::DuplicateCategory(category.to_string()));
            }
            bins.insert(category, bin);
        }
        if bins.is_empty() {
            return Err(TransformationError::NoCategories);
        }
        Ok(CategoryBins { bins })
    }

    /// What each bin holds, in order.
    pub fn labels(&self) -> Vec<String> {
        let mut labels = vec!["other".to_string(); self.bins.len() + 1];
        for (category, &bin) in &self.bins {
            labels[bin] = category.to_string();
        }
        labels
    }

    fn place(&self, value: &T) -> usize {
        self.bins.get(value).copied().unwrap_or(self.bins.len())
    }
}

impl<T: Atom + Ord> Binning<AtomDomain<T>> for CategoryBins<T> {
    fn check(&self, _: &AtomDomain<T>) -> Result<(), Error> {
        Ok(())
    }

    fn bins(&self) -> usize {
        self.bins.len() + 1
    }

    fn bin(&self, value: &T) -> usize {
        self.place(value)
    }
}

impl<T: Atom + Ord> Binning<OptionDomain<AtomDomain<T>>> for CategoryBins<T> {
    fn check(&self, _: &OptionDomain<AtomDomain<T>>) -> Result<(), Error> {
        Ok(())
    }

    fn bins(&self) -> usize {
        self.bins.len() + 1
    }

    fn bin(&self, value: &Option<T>) -> usize {
        value
            .as_ref()
            .map_or(self.bins.len(), |value| self.place(value))
    }
}
