//! Which columns a query reads, looks up and derives: the part of [`Derive`] that engines share.

use super::EngineError;
use crate::clean::shown;
use crate::expression::Expression;
use crate::query::Derive;
use crate::value::Values;

/// A [`Derive`] made ready for the columns and filters that a query wants.
#[derive(Debug)]
pub(super) struct DeriveStep {
    pub(super) derive: Derive,
    /// The columns that are read from the files.
    reads: Vec<String>,
    /// Codes of missing cells, by the place of a column in what is read.
    pub(super) codes: Vec<(usize, Values)>,
    /// Columns that are looked up: the table, and the column in it. They come after those that are
    /// read.
    looked: Vec<(usize, usize)>,
    /// Where each wanted column comes from, and after those the columns that only filters see.
    columns: Vec<(String, From)>,
    pub(super) wanted: usize,
    pub(super) filters: Vec<Expression>,
    /// Of what is read and looked up: whether it is needed after the source's filter.
    pub(super) later: Vec<bool>,
}

/// Where a column comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum From {
    /// A place in what is read and looked up.
    Source(usize),
    /// A place in [`Derive::columns`].
    Derived(usize),
}

impl DeriveStep {
    /// Refuses a name that two derived columns have.
    pub(super) fn new(
        derive: &Derive,
        wanted: &[String],
        filters: &[Expression],
    ) -> Result<DeriveStep, EngineError> {
        for (place, (name, _)) in derive.columns.iter().enumerate() {
            if derive.columns[..place]
                .iter()
                .any(|(other, _)| other == name)
            {
                return Err(EngineError::Query(format!(
                    "two derived columns are called `{}`; rename one of them",
                    shown(name)
                )));
            }
        }
        let mut names: Vec<&String> = wanted.iter().collect();
        for name in filters.iter().flat_map(Expression::columns) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let derived = |name: &String| derive.columns.iter().position(|(other, _)| other == name);
        let mut source = Needed::new(derive);
        for name in &names {
            match derived(name) {
                None => source.need(name),
                Some(place) => {
                    let columns = derive.columns[place].1.columns();
                    columns.iter().for_each(|column| source.need(column));
                }
            }
        }
        for column in derive.filter.iter().flat_map(Expression::columns) {
            source.need(column);
        }
        let mut later = vec![false; source.reads.len() + source.looked.len()];
        for name in &names {
            match derived(name) {
                None => later[source.place(name)] = true,
                Some(place) => {
                    let columns = derive.columns[place].1.columns();
                    columns
                        .iter()
                        .for_each(|column| later[source.place(column)] = true);
                }
            }
        }
        let columns = names
            .into_iter()
            .map(|name| {
                let from =
                    derived(name).map_or_else(|| From::Source(source.place(name)), From::Derived);
                (name.clone(), from)
            })
            .collect();
        let codes = derive.codes.iter().filter_map(|(name, codes)| {
            let place = source.reads.iter().position(|other| other == name)?;
            Some((place, Values::of(codes)))
        });
        Ok(DeriveStep {
            codes: codes.collect(),
            looked: source.looked.iter().map(|(_, at)| *at).collect(),
            reads: source.reads,
            columns,
            wanted: wanted.len(),
            filters: filters.to_vec(),
            later,
            derive: derive.clone(),
        })
    }

    /// The columns to read, in the order of the batches that `apply` takes.
    pub(super) fn reads(&self) -> &[String] {
        &self.reads
    }

    /// The columns that are looked up: the table, and the column in it. A key comes before what is
    /// looked up by it.
    pub(super) fn looked(&self) -> &[(usize, usize)] {
        &self.looked
    }

    /// Where each wanted column comes from, and after those the columns that only filters see.
    pub(super) fn columns(&self) -> &[(String, From)] {
        &self.columns
    }
}

/// The columns that are needed of the files and of public tables.
struct Needed<'a> {
    derive: &'a Derive,
    reads: Vec<String>,
    /// Names, tables and columns in them.
    looked: Vec<(String, (usize, usize))>,
}

impl<'a> Needed<'a> {
    fn new(derive: &'a Derive) -> Needed<'a> {
        Needed {
            derive,
            reads: Vec::new(),
            looked: Vec::new(),
        }
    }

    fn need(&mut self, name: &str) {
        self.need_before(name, self.derive.lookups.len());
    }

    /// A key may itself be looked up in one of the tables before.
    fn need_before(&mut self, name: &str, end: usize) {
        let tables = self.derive.lookups[..end].iter().enumerate();
        let found = tables.rev().find_map(|(table, lookup)| {
            let column = lookup.columns().iter().position(|other| other == name)?;
            Some((table, column))
        });
        match found {
            Some((table, column)) => {
                if !self.looked.iter().any(|(other, _)| other == name) {
                    self.need_before(self.derive.lookups[table].key(), table);
                    self.looked.push((name.to_owned(), (table, column)));
                }
            }
            None if self.reads.iter().any(|other| other == name) => {}
            None => self.reads.push(name.to_owned()),
        }
    }

    /// The place of a column that is needed.
    fn place(&self, name: &str) -> usize {
        let looked = self.looked.iter().position(|(other, _)| other == name);
        let read = || self.reads.iter().position(|other| other == name);
        // Every name here was needed.
        looked.map_or_else(|| read().unwrap_or(0), |at| self.reads.len() + at)
    }
}
