//! From a frame to a release: transformations chained with each other and with mechanisms.

use lastbit::domains::{AtomDomain, Frame, FrameDomain};
use lastbit::mechanisms::{Scale, geometric, laplace, laplace_threshold, threshold_laplace};
use lastbit::metrics::{ContributionDistance, L1Distance, SymmetricDistance};
use lastbit::statistics::{Grid, NonFinite};
use lastbit::transformations::{
    Edges, Keep, Tree, cast_or_replace, clamp, count_by_key, filter_frame, mean, resize,
    round_to_grid, scale, select, tree,
};
use lastbit::{Bounds, Error, Share};
use lastbit_exact::Rational;

fn survey() -> FrameDomain {
    FrameDomain::new([
        ("age", AtomDomain::<i64>::new().into()),
        ("city", AtomDomain::<String>::new().into()),
        ("income", AtomDomain::<String>::new().into()),
    ])
    .unwrap()
}

fn answers() -> Frame {
    let text = |cells: [&str; 5]| cells.map(String::from).to_vec();
    Frame::new([
        ("age", vec![31_i64, 17, 58, 44, 90].into()),
        (
            "city",
            text(["Oslo", "Oslo", "Rome", "Oslo", "Bern"]).into(),
        ),
        ("income", text(["2500.5", "", "n/a", "99999", "-3"]).into()),
    ])
    .unwrap()
}

fn scale_of(text: &str) -> Scale {
    text.parse().unwrap()
}

#[test]
fn a_mean_of_text_without_a_public_number_of_rows() -> Result<(), Error> {
    let column = select::<String, _>(survey(), SymmetricDistance, "income")?;
    let read = cast_or_replace(column.output_domain().clone(), SymmetricDistance, 0.0)?;
    let grid = Grid::new(&Bounds::parse("0", "5000")?, -2, NonFinite::Refuse)?;
    let rounded = round_to_grid(read.output_domain().clone(), SymmetricDistance, &grid)?;
    let resized = resize(
        rounded.output_domain().clone(),
        SymmetricDistance,
        10,
        Keep::Scattered,
        0,
    )?;
    let average = mean(resized.output_domain().clone(), *resized.output_metric())?;
    let in_units = scale(average.output_domain().clone(), Rational::new(1, 4))?;
    let noise = laplace(in_units.output_domain().clone(), &scale_of("250"), -4)?;

    let value = (column >> read >> rounded >> resized >> average >> in_units)?;
    assert_eq!(value.invoke(&answers())?, "750.05".parse().unwrap());
    assert_eq!(value.map(&1)?, Rational::from(500_i64));
    let release = (value >> noise)?;
    assert_eq!(release.map(&1)?.get(), 2.0);
    let published = release.invoke(&answers())?;
    assert_eq!(
        published.times_power_of_two(4).denominator().to_string(),
        "1"
    );
    Ok(())
}

#[test]
fn cities_that_nobody_listed() -> Result<(), Error> {
    let adults = filter_frame::<i64, _>(survey(), SymmetricDistance, "age", |&age| age >= 18)?;
    let cities = select::<String, _>(survey(), SymmetricDistance, "city")?;
    let metric = SymmetricDistance;
    let counts = count_by_key(cities.output_domain().clone(), metric, ContributionDistance)?;
    let one = counts.map(&1)?;
    let threshold = laplace_threshold(&scale_of("1"), 0, &one, &"1e-6".parse()?)?;
    let domain = counts.output_domain().clone();
    let noise = threshold_laplace(domain, &scale_of("1"), 0, &threshold)?;
    let release = (adults >> cities >> counts >> noise)?;
    let loss = release.map(&1)?;
    assert!(loss.loss().get() == 1.0 && loss.delta().get() <= 1e-6);
    let published = release.invoke(&answers())?;
    assert!(
        published
            .keys()
            .all(|city| ["Oslo", "Rome", "Bern"].contains(&city.as_str()))
    );
    Ok(())
}

#[test]
fn a_median_from_a_noisy_tree() -> Result<(), Error> {
    let ages = select::<i64, _>(survey(), SymmetricDistance, "age")?;
    let clamped = clamp(ages.output_domain().clone(), SymmetricDistance, 0, 120)?;
    let edges = Edges::new((0..=12).map(|decade| decade * 10_i64).collect::<Vec<_>>())?;
    let shape = Tree::new(edges.labels().len(), 4)?;
    let domain = clamped.output_domain().clone();
    let nodes = tree(domain, SymmetricDistance, &edges, &shape, L1Distance)?;
    let noise = geometric(nodes.output_domain().clone(), &scale_of("3"))?;
    let median = {
        let (shape, edges) = (shape.clone(), edges.clone());
        move |nodes: Vec<i64>| {
            let nodes = shape.consistent(&nodes, None)?;
            let position = shape.quantile(&nodes, &Share::half())?;
            Ok(edges.value(position.leaf(), position.fraction()))
        }
    };
    let release = (ages >> clamped >> nodes >> noise)?.post(median);
    assert_eq!(shape.levels(), 3);
    assert_eq!(release.map(&1)?.get(), 1.0); // three levels at scale 3
    let published = release.invoke(&answers())?.unwrap();
    assert!(!published.is_negative() && published <= Rational::from(120_i64));
    Ok(())
}
