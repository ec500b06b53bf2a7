//! Public tables for look-ups, which are part of the plan and read with it, and private tables,
//! which are not.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use super::parse::first_twice;
use super::private_files::reads;
use super::reader::Value;
use super::{Lookup, LookupError, PlanError, Source, Unit};
use crate::clean::shown;
use crate::schema::Join;

/// Larger files are not lists that a plan would quote.
const MOST_BYTES: u64 = 16 << 20;

/// The tables of `[[source.lookup]]`, none of which is a file of the source.
pub fn lookups(list: Option<Value<'_>>, source: &Source) -> Result<Vec<Arc<Lookup>>, PlanError> {
    let Some(list) = list else {
        return Ok(vec![]);
    };
    let mut all: Vec<Arc<Lookup>> = Vec::new();
    for value in list.list()? {
        let lookup = lookup(&value, source)?;
        let before = all.iter().flat_map(|other| other.columns());
        if let Some(twice) = before.clone().find(|name| lookup.columns().contains(name)) {
            return Err(value.error(format!("two tables give a column `{twice}`; keep one")));
        }
        all.push(Arc::new(lookup));
    }
    Ok(all)
}

/// The tables of `[[source.join]]`: private, and joined only by the unit's key. None of their files
/// is one of `[[source.lookup]]`.
pub fn joins(
    list: &Value<'_>,
    data: &Source,
    unit: &Unit,
    lookups: &[Arc<Lookup>],
    looked_up: Option<&Value<'_>>,
) -> Result<Vec<Join>, PlanError> {
    let mut all: Vec<Join> = Vec::new();
    for value in list.list()? {
        let table = value.table("[[source.join]]".to_owned())?;
        if let Some(key) = table.get("key").or(table.get("on")).or(table.get("by")) {
            return Err(key.error(
                "private tables are joined by the unit's column alone: by another key one row of a \
                 table may match rows of many people, and then no limit bounds what one person \
                 changes; leave it out. If the unit's column has another name there, write it as \
                 `unit`",
            ));
        }
        let Unit::Column { name: unit, .. } = unit else {
            return Err(table.error(
                "private tables are joined by the unit's column: by another key one row of a table \
                 may match rows of many people, and then no limit bounds what one person changes; \
                 name it with `unit` in [privacy]. Public tables are joined by [[source.lookup]]",
            ));
        };
        let there = match table.get("unit") {
            None => unit.clone(),
            Some(value) => value.string()?.to_owned(),
        };
        let columns = table.need("columns", "columns = [\"age\"]")?;
        let names = columns.strings()?;
        if let Some(own) = [unit, &there].into_iter().find(|own| names.contains(own)) {
            return Err(columns.error(format!(
                "`columns` must name columns of the table other than `{own}`, which it is joined by"
            )));
        }
        if names.is_empty() {
            return Err(columns.error("`columns` must name columns of the table"));
        }
        if let Some(twice) = first_twice(&names) {
            return Err(columns.error(format!("`columns` lists `{twice}` twice")));
        }
        let joined = all.iter().flat_map(|other| &other.columns);
        let mut before = joined.chain(lookups.iter().flat_map(|other| other.columns()));
        if let Some(twice) = before.find(|name| names.contains(name)) {
            return Err(value.error(format!("two tables give a column `{twice}`; keep one")));
        }
        if lookups.iter().any(|lookup| lookup.columns().contains(unit)) {
            return Err(value.error(format!(
                "the unit `{unit}` is looked up in a table; private tables are joined by a column \
                 that both have"
            )));
        }
        let source = super::parse::source(&table, data.base())?;
        let others = all.iter().map(|join| (&join.source, &join.unit));
        for (other, whose) in [(data, unit)].into_iter().chain(others) {
            if *whose != there {
                check_one_person(&value, &source, &there, other, whose)?;
            }
        }
        if let Some(tables) = looked_up {
            for table in tables.list()? {
                let table = table.table("[[source.lookup]]".to_owned())?;
                let file = table.need("file", FILE)?;
                check_public(&file, &source)?;
            }
        }
        all.push(Join {
            source,
            key: unit.clone(),
            unit: there,
            columns: names,
        });
    }
    Ok(all)
}

/// That a file whose rows are of one column's people is none whose rows are of another's: a row
/// that is of two people would let one of them decide what is published about many.
fn check_one_person(
    value: &Value<'_>,
    source: &Source,
    there: &str,
    other: &Source,
    whose: &str,
) -> Result<(), PlanError> {
    let Source::Files(files) = source else {
        return Ok(());
    };
    for given in &files.paths {
        let path = files.base.join(given);
        if path.is_dir() || given.contains(['*', '?', '[']) {
            return Err(value.error(format!(
                "the unit is called `{there}` here and `{whose}` elsewhere: name the files of this \
                 table one by one, so that none can be both"
            )));
        }
        if reads(other, &path) {
            return Err(value.error(format!(
                "the rows of `{}` would be those of `{there}` here, and those of `{whose}` \
                 elsewhere in the plan: a row of two people lets one of them decide what is \
                 published about many; join another file, or by the same column",
                shown(given)
            )));
        }
    }
    Ok(())
}

const FILE: &str = "file = \"wards.csv\"";

/// That the file of a look-up is none of a source's: everybody may know a look-up table, and what
/// is wrong with it is told without any noise.
fn check_public(file: &Value<'_>, source: &Source) -> Result<(), PlanError> {
    match reads(source, &source.base().join(file.string()?)) {
        false => Ok(()),
        true => Err(file.error(
            "this is a file of the private data, and a look-up table is public; look up in a table \
             that everybody may know, and join private ones by [[source.join]]",
        )),
    }
}

fn lookup(value: &Value<'_>, source: &Source) -> Result<Lookup, PlanError> {
    let table = value.table("[[source.lookup]]".to_owned())?;
    let file = table.need("file", FILE)?;
    let key = table.need("key", "key = \"ward\"")?;
    let columns = table.need("columns", "columns = [\"region\"]")?;
    table.finish()?;
    let key_name = key.string()?;
    let names = columns.strings()?;
    if names.is_empty() || names.iter().any(|name| name == key_name) {
        return Err(columns.error("`columns` must name columns of the table other than its key"));
    }
    if let Some(twice) = first_twice(&names) {
        return Err(columns.error(format!("`columns` lists `{twice}` twice")));
    }
    check_public(&file, source)?;
    let path = source.base().join(file.string()?);
    let fail = |why: &dyn std::fmt::Display| {
        file.error(format!("the public table `{}`: {why}", path.display()))
    };
    let text = read(&path).map_err(|why| fail(&why))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut records = records(text).map_err(|why| fail(&why))?.into_iter();
    let header = records.next().unwrap_or_default();
    // What the file holds is not told: it may have been named by mistake.
    let place = |name: &str| header.iter().position(|other| other == name);
    let is_twice = |(index, name): &(usize, &String)| place(name) != Some(*index);
    if let Some((index, name)) = header.iter().enumerate().find(is_twice) {
        return Err(fail(&format!(
            "its columns {} and {} have one name; rename one",
            place(name).map_or(0, |first| first + 1),
            index + 1
        )));
    }
    let key_place = place(key_name)
        .ok_or_else(|| key.error(format!("`{}` has no column `{key_name}`", path.display())))?;
    let mut places = Vec::new();
    for name in &names {
        places.push(place(name).ok_or_else(|| {
            columns.error(format!("`{}` has no column `{name}`", path.display()))
        })?);
    }
    let mut rows = Vec::new();
    for (line, record) in records.enumerate() {
        if record.len() != header.len() {
            return Err(fail(&format!(
                "row {} has {} cells, and its header {}",
                line + 1,
                record.len(),
                header.len()
            )));
        }
        let cells = places.iter().map(|place| record[*place].clone()).collect();
        rows.push((record[key_place].clone(), cells));
    }
    Lookup::new(key_name, &names, rows).map_err(|error| match error {
        LookupError::Twice(first, second) => fail(&format!(
            "its rows {first} and {second} have the same `{key_name}`, and a row of the data may \
             match only one; remove one"
        )),
        LookupError::NoKey(row) => fail(&format!("its row {row} has no `{key_name}`; remove it")),
    })
}

/// The text of a regular file that is not too large.
fn read(path: &Path) -> Result<String, String> {
    let words = |error: std::io::Error| error.to_string();
    // Asked before it is opened: to open a pipe is to wait for who writes into it.
    if !fs::metadata(path).map_err(words)?.is_file() {
        return Err("is not a regular file; copy it into one".to_owned());
    }
    let file = File::open(path).map_err(words)?;
    let mut text = String::new();
    let read = file.take(MOST_BYTES + 1).read_to_string(&mut text);
    if read.map_err(words)? as u64 > MOST_BYTES {
        return Err(format!(
            "has more than {} MiB; look-up tables are lists that everybody may know",
            MOST_BYTES >> 20
        ));
    }
    Ok(text)
}

/// The records of comma-separated values, by RFC 4180. Empty lines are skipped.
fn records(text: &str) -> Result<Vec<Vec<String>>, String> {
    let mut records = Vec::new();
    let mut record: Vec<String> = Vec::new();
    let mut cell = String::new();
    let mut quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' if quoted || cell.is_empty() => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut cell)),
            '\r' if !quoted && characters.peek() == Some(&'\n') => {}
            '\n' if !quoted => {
                record.push(std::mem::take(&mut cell));
                if record != [""] {
                    records.push(std::mem::take(&mut record));
                }
                record.clear();
            }
            other => cell.push(other),
        }
    }
    if quoted {
        return Err("a quote is never closed".to_owned());
    }
    if !cell.is_empty() || !record.is_empty() {
        record.push(cell);
        records.push(record);
    }
    Ok(records)
}
