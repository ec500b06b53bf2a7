//! No measurement or transformation of this crate fails on data of its domain: a failure would tell
//! of the data what no loss accounts for.
//!
//! Every public constructor is here, with members of its domain from the everyday to the extreme; a
//! constructor that is missing from the list fails the test.

mod composition;
mod data;
mod mechanisms;
mod selection;
mod transformations;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use lastbit::measures::Measure;
use lastbit::metrics::Metric;
use lastbit::{Measurement, MetricSpace, Transformation};

/// The constructors that were tried, as `file:function`.
static TRIED: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// Every member of the domain among the data is answered.
fn answers<DI, MI, MO, TO>(
    name: &'static str,
    measurement: &Measurement<DI, MI, MO, TO>,
    data: &[DI::Carrier],
) where
    DI: MetricSpace<MI>,
    MI: Metric,
    MO: Measure,
    TO: 'static,
{
    let domain = measurement.input_domain();
    let mut members = 0;
    for (index, member) in data.iter().enumerate() {
        if domain.contains(member) {
            members += 1;
            let answer = measurement.invoke(member);
            assert!(answer.is_ok(), "{name}, data {index}: {:?}", answer.err());
        }
    }
    if members > 0 {
        TRIED.lock().unwrap().insert(name);
    }
}

/// Every member of the domain among the data is mapped to a member of the output domain.
fn maps<DI, MI, DO, MO>(
    name: &'static str,
    transformation: &Transformation<DI, MI, DO, MO>,
    data: &[DI::Carrier],
) where
    DI: MetricSpace<MI>,
    MI: Metric,
    DO: MetricSpace<MO>,
    MO: Metric,
{
    let domain = transformation.input_domain();
    let mut members = 0;
    for (index, member) in data.iter().enumerate() {
        if domain.contains(member) {
            members += 1;
            match transformation.invoke(member) {
                Ok(output) => assert!(
                    transformation.output_domain().contains(&output),
                    "{name}, data {index}: outside {}",
                    transformation.output_domain()
                ),
                Err(error) => panic!("{name}, data {index}: {error}"),
            }
        }
    }
    if members > 0 {
        TRIED.lock().unwrap().insert(name);
    }
}

/// Public functions of these folders that return a measurement or a transformation, from the
/// source.
fn constructors() -> BTreeSet<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    let mut folders: Vec<_> = ["transformations", "mechanisms", "selection", "composition"]
        .map(|folder| source.join(folder))
        .into();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                files.push((path.clone(), fs::read_to_string(path).unwrap()));
            }
        }
    }
    let mut results: Vec<String> = ["Measurement", "Transformation"].map(String::from).into();
    // Names that stand for one, also by way of another name.
    for _ in 0..3 {
        for (_, text) in &files {
            for alias in text.split("type ").skip(1) {
                let alias = alias.split(';').next().unwrap();
                // A parameter may have a default, so the last sign counts.
                let Some((name, meaning)) = alias.rsplit_once('=') else {
                    continue;
                };
                let name = name.split('<').next().unwrap().trim().to_owned();
                if returns(meaning, &results) && !results.contains(&name) {
                    results.push(name);
                }
            }
        }
    }
    let mut found = BTreeSet::new();
    for (path, text) in &files {
        let file = path.strip_prefix(&source).unwrap().with_extension("");
        if file.to_string_lossy().contains("tests") {
            continue;
        }
        for function in text.split("pub fn ").skip(1) {
            let signature = function.split('{').next().unwrap();
            let signature = signature.split("where").next().unwrap();
            let name = signature.split(['<', '(']).next().unwrap();
            if let Some((_, result)) = signature.rsplit_once("->")
                && returns(result, &results)
            {
                found.insert(format!("{}:{name}", file.display()));
            }
        }
    }
    found
}

/// Whether a type is `Result<X<…>>` or `X<…>` for one of the names.
fn returns(result: &str, names: &[String]) -> bool {
    let result = result.trim();
    let result = result.strip_prefix("Result<").unwrap_or(result).trim();
    let name = result
        .split(['<', ',', '>'])
        .next()
        .unwrap_or(result)
        .trim();
    names.iter().any(|known| known == name)
}

#[test]
fn nothing_fails_on_data_of_its_domain_and_no_constructor_is_forgotten() {
    transformations::rows_are_mapped();
    transformations::statistics_are_computed();
    transformations::frames_are_mapped();
    mechanisms::noise_is_added();
    mechanisms::candidates_are_selected();
    selection::points_are_selected();
    composition::compositions_are_answered();
    let tried: BTreeSet<String> = TRIED
        .lock()
        .unwrap()
        .iter()
        .map(|&name| name.into())
        .collect();
    let known = constructors();
    assert!(known.len() > 50, "the source was not read: {known:?}");
    let forgotten: Vec<_> = known.difference(&tried).collect();
    let gone: Vec<_> = tried.difference(&known).collect();
    assert!(
        forgotten.is_empty() && gone.is_empty(),
        "not tried: {forgotten:#?}; not there: {gone:#?}"
    );
}
