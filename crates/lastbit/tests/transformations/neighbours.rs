//! All small data sets, and what a transformation does to every pair of them.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use lastbit::metrics::Metric;
use lastbit::{MetricSpace, Transformation};

/// Every vector of the values with a length in the range: all orders, since nothing may depend on
/// the order.
pub fn vectors<T: Clone>(values: &[T], lengths: RangeInclusive<usize>) -> Vec<Vec<T>> {
    let mut all = Vec::new();
    let mut longest: Vec<Vec<T>> = vec![Vec::new()];
    for length in 0..=*lengths.end() {
        if length > 0 {
            let extend = |vector: &Vec<T>| {
                let vector = vector.clone();
                values.iter().map(move |value| {
                    let mut longer = vector.clone();
                    longer.push(value.clone());
                    longer
                })
            };
            longest = longest.iter().flat_map(extend).collect();
        }
        if lengths.contains(&length) {
            all.extend(longest.iter().cloned());
        }
    }
    all
}

/// What the largest distance of outputs is within each distance of inputs that occurs.
///
/// Checks that outputs are in the output domain and that no two are further apart than the map
/// says.
pub fn largest<DI, MI, DO, MO>(
    transformation: &Transformation<DI, MI, DO, MO>,
    data: &[DI::Carrier],
) -> BTreeMap<u64, MO::Distance>
where
    DI: MetricSpace<MI>,
    MI: Metric<Distance = u64>,
    DO: MetricSpace<MO>,
    MO: Metric<Distance: PartialOrd>,
{
    let (input, output) = (
        transformation.input_domain(),
        transformation.output_domain(),
    );
    let values: Vec<DO::Carrier> = data
        .iter()
        .map(|data| transformation.invoke(data).unwrap())
        .collect();
    assert!(
        values.iter().all(|value| output.contains(value)),
        "{output}"
    );
    let mut found: BTreeMap<u64, MO::Distance> = BTreeMap::new();
    let mut bounds: BTreeMap<u64, MO::Distance> = BTreeMap::new();
    for (i, x) in data.iter().enumerate() {
        for (j, y) in data.iter().enumerate().skip(i) {
            let metric = transformation.input_metric();
            let d_in = input.distance(metric, x, y).unwrap();
            let metric = transformation.output_metric();
            let d_out = output.distance(metric, &values[i], &values[j]).unwrap();
            let bound = bounds
                .entry(d_in)
                .or_insert_with(|| transformation.map(&d_in).unwrap());
            assert!(d_out <= *bound, "data sets {i}, {j}: {d_in} gives {d_out}");
            match found.get_mut(&d_in) {
                Some(largest) if *largest >= d_out => {}
                _ => {
                    found.insert(d_in, d_out);
                }
            }
        }
    }
    found
}

/// Checks every pair, and that the map's bound is reached at each of these distances.
pub fn assert_tight<DI, MI, DO, MO>(
    transformation: &Transformation<DI, MI, DO, MO>,
    data: &[DI::Carrier],
    distances: RangeInclusive<u64>,
) where
    DI: MetricSpace<MI>,
    MI: Metric<Distance = u64>,
    DO: MetricSpace<MO>,
    MO: Metric<Distance: PartialOrd>,
{
    let found = largest(transformation, data);
    for d_in in distances {
        // At a distance that no two data sets have, such as an odd one between sets of one size,
        // the bound is that of the next.
        let next = found.range(d_in..).next().map_or(d_in, |(&next, _)| next);
        let within = found.range(..=next).map(|(_, d_out)| d_out);
        let largest = within.reduce(|a, b| if a > b { a } else { b }).unwrap();
        let bound = transformation.map(&d_in).unwrap();
        assert!(
            *largest == bound,
            "at {d_in}: found {largest}, stated {bound}"
        );
    }
}
