use core::fmt;

use super::Domain;

/// Vectors of values of one domain, of any length or of one public length.
///
/// ```
/// use lastbit::domains::{AtomDomain, Domain, VectorDomain};
/// let rows = VectorDomain::new(AtomDomain::<i64>::new());
/// let three = rows.clone().with_size(3);
/// assert!(
///     rows.contains(&vec![1, 2])
///         && !three.contains(&vec![1, 2])
///         && three.contains(&vec![1, 2, 3])
/// );
/// assert_eq!(three.to_string(), "vectors of 3 i64");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct VectorDomain<D> {
    element: D,
    size: Option<usize>,
}

impl<D: Domain> VectorDomain<D> {
    /// Vectors of any length.
    pub fn new(element: D) -> VectorDomain<D> {
        VectorDomain {
            element,
            size: None,
        }
    }

    /// Only vectors of this length, which is then public.
    pub fn with_size(mut self, size: usize) -> VectorDomain<D> {
        self.size = Some(size);
        self
    }

    /// Vectors of any length.
    pub fn without_size(mut self) -> VectorDomain<D> {
        self.size = None;
        self
    }

    /// The domain of each element.
    pub fn element(&self) -> &D {
        &self.element
    }

    /// The length, if it is public.
    pub fn size(&self) -> Option<usize> {
        self.size
    }
}

impl<D: Domain> Domain for VectorDomain<D> {
    type Carrier = Vec<D::Carrier>;

    fn contains(&self, value: &Vec<D::Carrier>) -> bool {
        self.size.is_none_or(|size| size == value.len()) && self.element.contains_all(value)
    }

    fn same(&self, left: &Vec<D::Carrier>, right: &Vec<D::Carrier>) -> bool {
        left.len() == right.len()
            && left
                .iter()
                .zip(right)
                .all(|(left, right)| self.element.same(left, right))
    }
}

impl<D: Domain> fmt::Display for VectorDomain<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.size {
            Some(size) => write!(f, "vectors of {size} {}", self.element),
            None => write!(f, "vectors of {}", self.element),
        }
    }
}
