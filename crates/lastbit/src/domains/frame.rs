use core::fmt;

use super::{Atom, AtomDomain, Domain};
use crate::Error;

/// The values of one column of a [`Frame`].
///
/// ```
/// use lastbit::domains::FrameColumn;
/// assert_eq!(FrameColumn::from(vec![0.5, f64::NAN]).len(), 2);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum FrameColumn {
    /// Signed integers.
    I64(Vec<i64>),
    /// Unsigned integers.
    U64(Vec<u64>),
    /// Floats; NaN is the missing value.
    F64(Vec<f64>),
    /// Truth values.
    Bool(Vec<bool>),
    /// Text.
    Text(Vec<String>),
}

/// What one column may hold.
///
/// ```
/// use lastbit::domains::{AtomDomain, ColumnDomain};
/// let age = ColumnDomain::from(AtomDomain::bounded(0_i64, 120)?);
/// assert!(age.contains(&vec![31_i64].into()) && !age.contains(&vec![31.0].into()));
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ColumnDomain {
    /// Signed integers.
    I64(AtomDomain<i64>),
    /// Unsigned integers.
    U64(AtomDomain<u64>),
    /// Floats.
    F64(AtomDomain<f64>),
    /// Truth values.
    Bool(AtomDomain<bool>),
    /// Text.
    Text(AtomDomain<String>),
}

/// A type that a column can have: `i64`, `u64`, `f64`, `bool`, `String`.
///
/// ```
/// use lastbit::domains::{FrameColumn, ColumnType};
/// let column = FrameColumn::from(vec![true, false]);
/// assert_eq!(bool::values(&column), Some(&[true, false][..]));
/// assert_eq!(i64::values(&column), None);
/// ```
pub trait ColumnType: Atom + crate::sealed::Sealed {
    /// The values, if the column has this type.
    fn values(column: &FrameColumn) -> Option<&[Self]>;

    /// The domain of each value, if the column has this type.
    fn domain(domain: &ColumnDomain) -> Option<&AtomDomain<Self>>;
}

macro_rules! column_type {
    ($($type:ty, $variant:ident;)*) => {
        $(
            impl ColumnType for $type {
                fn values(column: &FrameColumn) -> Option<&[$type]> {
                    match column {
                        FrameColumn::$variant(values) => Some(values),
                        _ => None,
                    }
                }
                fn domain(domain: &ColumnDomain) -> Option<&AtomDomain<$type>> {
                    match domain {
                        ColumnDomain::$variant(domain) => Some(domain),
                        _ => None,
                    }
                }
            }
            impl From<Vec<$type>> for FrameColumn {
                fn from(values: Vec<$type>) -> FrameColumn {
                    FrameColumn::$variant(values)
                }
            }
            impl From<AtomDomain<$type>> for ColumnDomain {
                fn from(domain: AtomDomain<$type>) -> ColumnDomain {
                    ColumnDomain::$variant(domain)
                }
            }
        )*

        impl FrameColumn {
            /// How many values there are.
            pub fn len(&self) -> usize {
                match self {
                    $(FrameColumn::$variant(values) => values.len(),)*
                }
            }

            /// Whether there are no values.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Whether row `i` here and row `j` of `other` hold the same value.
            fn same_at(&self, i: usize, other: &FrameColumn, j: usize) -> bool {
                match (self, other) {
                    $((FrameColumn::$variant(left), FrameColumn::$variant(right)) => {
                        left[i].same(&right[j])
                    })*
                    _ => false,
                }
            }
        }

        impl ColumnDomain {
            /// Whether the column has the type and every value is in the domain.
            pub fn contains(&self, column: &FrameColumn) -> bool {
                match (self, column) {
                    $((ColumnDomain::$variant(domain), FrameColumn::$variant(values)) => {
                        domain.contains_all(values)
                    })*
                    _ => false,
                }
            }
        }

        impl fmt::Display for ColumnDomain {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(ColumnDomain::$variant(domain) => domain.fmt(f),)*
                }
            }
        }
    };
}
column_type! {
    i64, I64;
    u64, U64;
    f64, F64;
    bool, Bool;
    String, Text;
}

/// Rows with named columns.
///
/// ```
/// use lastbit::domains::Frame;
/// let frame = Frame::new([
///     ("age", vec![31_i64, 58].into()),
///     ("region", vec!["north".to_string(), "south".to_string()].into()),
/// ])?;
/// assert_eq!(frame.rows(), 2);
/// assert_eq!(frame.column::<i64>("age"), Some(&[31, 58][..]));
/// assert!(frame.column::<f64>("age").is_none());
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Frame {
    columns: Vec<(String, FrameColumn)>,
    rows: usize,
}

impl Frame {
    /// Columns of equal length with different names.
    pub fn new(
        columns: impl IntoIterator<Item = (impl Into<String>, FrameColumn)>,
    ) -> Result<Frame, Error> {
        let columns: Vec<(String, FrameColumn)> = columns
            .into_iter()
            .map(|(name, column)| (name.into(), column))
            .collect();
        check_names(columns.iter().map(|(name, _)| name.as_str()))?;
        let rows = columns.first().map_or(0, |(_, column)| column.len());
        if let Some((name, column)) = columns.iter().find(|(_, column)| column.len() != rows) {
            let (first, length) = (&columns[0].0, column.len());
            return Err(Error::space(format!(
                "column `{name}` has {length} rows and `{first}` has {rows}; give every column \
                 the same number of rows"
            )));
        }
        Ok(Frame { columns, rows })
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Every column with its name, in order.
    pub fn columns(&self) -> &[(String, FrameColumn)] {
        &self.columns
    }

    /// The values of a column, if there is one with this name and type.
    pub fn column<T: ColumnType>(&self, name: &str) -> Option<&[T]> {
        let (_, column) = self.columns.iter().find(|(this, _)| this == name)?;
        T::values(column)
    }

    /// Whether row `i` here is the same record as row `j` of a frame with the same columns.
    pub(crate) fn same_row(&self, i: usize, other: &Frame, j: usize) -> bool {
        self.columns.len() == other.columns.len()
            && self
                .columns
                .iter()
                .zip(&other.columns)
                .all(|((_, left), (_, right))| left.same_at(i, right, j))
    }
}

/// Frames with these columns, in this order, with any number of rows or one public number.
///
/// ```
/// use lastbit::domains::{AtomDomain, Domain, Frame, FrameDomain};
/// let domain = FrameDomain::new([
///     ("age", AtomDomain::bounded(0_i64, 120)?.into()),
///     ("income", AtomDomain::<f64>::new().nullable().into()),
/// ])?;
/// let frame = Frame::new([("age", vec![31_i64].into()), ("income", vec![f64::NAN].into())])?;
/// assert!(domain.contains(&frame));
/// assert_eq!(
///     domain.to_string(),
///     "frames with columns age: i64 in [0, 120], income: f64 with nulls"
/// );
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FrameDomain {
    columns: Vec<(String, ColumnDomain)>,
    size: Option<usize>,
}

impl FrameDomain {
    /// Columns with different names.
    pub fn new(
        columns: impl IntoIterator<Item = (impl Into<String>, ColumnDomain)>,
    ) -> Result<FrameDomain, Error> {
        let columns: Vec<(String, ColumnDomain)> = columns
            .into_iter()
            .map(|(name, domain)| (name.into(), domain))
            .collect();
        check_names(columns.iter().map(|(name, _)| name.as_str()))?;
        Ok(FrameDomain {
            columns,
            size: None,
        })
    }

    /// Only frames with this number of rows, which is then public.
    pub fn with_size(mut self, size: usize) -> FrameDomain {
        self.size = Some(size);
        self
    }

    /// The number of rows, if it is public.
    pub fn size(&self) -> Option<usize> {
        self.size
    }

    /// Every column with its name, in order.
    pub fn columns(&self) -> &[(String, ColumnDomain)] {
        &self.columns
    }

    /// The domain of each value of a column, or which columns there are.
    pub fn column<T: ColumnType>(&self, name: &str) -> Result<&AtomDomain<T>, Error> {
        let found = self.columns.iter().find(|(this, _)| this == name);
        let Some((_, domain)) = found else {
            let names: Vec<&str> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
            return Err(Error::space(format!(
                "there is no column `{name}`; the columns are {}",
                names.join(", ")
            )));
        };
        T::domain(domain).ok_or_else(|| {
            Error::space(format!(
                "column `{name}` holds {domain}, not {}; ask for it with its own type, or cast it",
                T::NAME
            ))
        })
    }
}

impl Domain for FrameDomain {
    type Carrier = Frame;

    fn contains(&self, frame: &Frame) -> bool {
        self.size.is_none_or(|size| size == frame.rows)
            && self.columns.len() == frame.columns.len()
            && self.columns.iter().zip(&frame.columns).fold(
                true,
                |all, ((name, domain), (other, column))| {
                    all & (name == other && domain.contains(column))
                },
            )
    }

    fn same(&self, left: &Frame, right: &Frame) -> bool {
        left.rows == right.rows && (0..left.rows).all(|row| left.same_row(row, right, row))
    }
}

impl fmt::Display for FrameDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.size {
            Some(size) => write!(f, "frames of {size} rows with columns ")?,
            None => f.write_str("frames with columns ")?,
        }
        for (i, (name, domain)) in self.columns.iter().enumerate() {
            let separator = if i == 0 { "" } else { ", " };
            write!(f, "{separator}{name}: {domain}")?;
        }
        Ok(())
    }
}

fn check_names<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), Error> {
    let mut sorted: Vec<&str> = names.collect();
    if sorted.is_empty() {
        return Err(Error::space(
            "a frame needs at least one column; give it a name and its values",
        ));
    }
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Error::space(format!(
            "two columns are called `{}`; rename one",
            pair[0]
        ))),
        None => Ok(()),
    }
}
