//! Domains hold what they say, are equal only if they hold the same, and say what is wrong with a
//! bad one.

use std::collections::BTreeMap;

use lastbit::domains::{
    AtomDomain, ColumnDomain, Domain, Frame, FrameColumn, FrameDomain, MapDomain, OptionDomain,
    VectorDomain,
};
use lastbit::{Bounds, Error};
use lastbit_exact::{Integer, Rational};
use proptest::prelude::*;

fn any_f64() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<u64>().prop_map(f64::from_bits),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(-0.0),
        -2.0..2.0,
    ]
}

#[test]
fn floats_are_finite_numbers_unless_the_domain_says_otherwise() {
    let domains = |x: f64| {
        let plain = AtomDomain::<f64>::new();
        [
            plain.contains(&x),
            plain.clone().nullable().contains(&x),
            plain.clone().with_infinities().contains(&x),
            plain.nullable().with_infinities().contains(&x),
        ]
    };
    assert_eq!(domains(1.0), [true, true, true, true]);
    assert_eq!(domains(-0.0), [true, true, true, true]);
    assert_eq!(domains(f64::NAN), [false, true, false, true]);
    assert_eq!(domains(-f64::NAN), [false, true, false, true]);
    assert_eq!(domains(f64::INFINITY), [false, false, true, true]);
    assert_eq!(domains(f64::NEG_INFINITY), [false, false, true, true]);
}

#[test]
fn bounds_hold_their_ends_and_exclude_infinities() {
    let domain = AtomDomain::bounded(-1.0, 1.0).unwrap().with_infinities();
    assert!(domain.contains(&-1.0) && domain.contains(&1.0));
    assert!(!domain.contains(&1.0_f64.next_up()) && !domain.contains(&f64::INFINITY));
    assert!(!domain.contains(&f64::NAN) && domain.nullable().contains(&f64::NAN));
    let integers = AtomDomain::bounded(i64::MIN, -1).unwrap();
    assert!(integers.contains(&i64::MIN) && !integers.contains(&0));
    let exact = AtomDomain::from(&Bounds::parse("0.1", "0.3").unwrap());
    assert!(exact.contains(&Rational::new(3, 10)) && !exact.contains(&Rational::new(4, 10)));
    let large = AtomDomain::bounded(Integer::from(0), Integer::from(1) << 100).unwrap();
    assert!(large.contains(&(Integer::from(1) << 100)) && !large.contains(&Integer::from(-1)));
}

#[test]
fn bad_bounds_are_refused_with_a_remedy() {
    let message = |error: Error| {
        assert!(error.is_space());
        error.to_string()
    };
    assert_eq!(
        message(AtomDomain::bounded(5.0, 2.0).unwrap_err()),
        "bounds [5, 2]: lower is above upper; swap them?"
    );
    for (lower, upper) in [
        (f64::NAN, 1.0),
        (0.0, f64::NAN),
        (0.0, f64::INFINITY),
        (f64::NEG_INFINITY, 0.0),
    ] {
        let text = message(AtomDomain::bounded(lower, upper).unwrap_err());
        assert!(text.ends_with("leave the bounds out if there are none"));
    }
}

#[test]
fn domains_are_equal_only_if_every_part_is() {
    let base = AtomDomain::bounded(0.0, 1.0).unwrap();
    assert_eq!(base, AtomDomain::bounded(0.0, 1.0).unwrap());
    assert_ne!(base, AtomDomain::bounded(0.0, 2.0).unwrap());
    assert_ne!(base, base.clone().nullable());
    assert_ne!(base, AtomDomain::new());
    assert_eq!(base, base.clone().nullable().regular());
    assert_ne!(
        AtomDomain::<f64>::new(),
        AtomDomain::<f64>::new().with_infinities()
    );
    let rows = VectorDomain::new(base);
    assert_ne!(rows, rows.clone().with_size(3));
    assert_ne!(rows.clone().with_size(4), rows.clone().with_size(3));
    assert_eq!(rows, rows.clone().with_size(3).without_size());
}

#[test]
fn maps_and_options_hold_what_their_parts_hold() {
    let digits = AtomDomain::bounded(0_u64, 9).unwrap();
    let map = MapDomain::new(digits.clone(), OptionDomain::new(digits));
    assert!(map.contains(&BTreeMap::new()));
    assert!(map.contains(&BTreeMap::from([(1, None), (2, Some(9))])));
    assert!(!map.contains(&BTreeMap::from([(10, None)])));
    assert!(!map.contains(&BTreeMap::from([(1, Some(10))])));
    assert_eq!(
        map.to_string(),
        "maps from u64 in [0, 9] to u64 in [0, 9] or none"
    );
}

#[test]
fn frames_need_columns_of_equal_length_with_different_names() {
    let refused = |columns: Vec<(&str, FrameColumn)>| {
        let error = Frame::new(columns).unwrap_err();
        assert!(error.is_space());
        error.to_string()
    };
    assert_eq!(
        refused(vec![("a", vec![1_i64, 2].into()), ("b", vec![true].into())]),
        "column `b` has 1 rows and `a` has 2; give every column the same number of rows"
    );
    assert_eq!(
        refused(vec![
            ("a", vec![1_i64].into()),
            ("b", vec![1_u64].into()),
            ("a", vec![2_i64].into())
        ]),
        "two columns are called `a`; rename one"
    );
    assert!(refused(vec![]).contains("at least one column"));
}

#[test]
fn a_frame_is_in_the_domain_only_with_the_same_columns_types_values_and_size() {
    let domain = FrameDomain::new([
        (
            "age",
            ColumnDomain::from(AtomDomain::bounded(0_i64, 120).unwrap()),
        ),
        ("name", AtomDomain::<String>::new().into()),
    ])
    .unwrap();
    let name = || FrameColumn::from(vec!["x".to_string()]);
    let frame = |age: FrameColumn, last: &'static str| Frame::new([("age", age), (last, name())]);
    let good = frame(vec![31_i64].into(), "name").unwrap();
    assert!(domain.contains(&good));
    assert!(domain.clone().with_size(1).contains(&good));
    assert!(!domain.clone().with_size(2).contains(&good));
    assert!(!domain.contains(&frame(vec![130_i64].into(), "name").unwrap()));
    assert!(!domain.contains(&frame(vec![31_u64].into(), "name").unwrap()));
    assert!(!domain.contains(&frame(vec![31_i64].into(), "street").unwrap()));
    assert!(!domain.contains(&Frame::new([("age", vec![31_i64].into())]).unwrap()));

    assert!(domain.column::<i64>("age").is_ok());
    assert_eq!(
        domain.column::<f64>("age").unwrap_err().to_string(),
        "column `age` holds i64 in [0, 120], not f64; ask for it with its own type, or cast it"
    );
    assert_eq!(
        domain.column::<i64>("agee").unwrap_err().to_string(),
        "there is no column `agee`; the columns are age, name"
    );
}

proptest! {
    #[test]
    fn a_vector_is_in_the_domain_if_and_only_if_every_element_is(
        values in prop::collection::vec(any_f64(), 0..20),
        nullable: bool, infinities: bool, bounded: bool,
    ) {
        let mut element =
            if bounded { AtomDomain::bounded(-1.0, 1.5).unwrap() } else { AtomDomain::new() };
        if nullable {
            element = element.nullable();
        }
        if infinities {
            element = element.with_infinities();
        }
        let holds = |x: f64| {
            if x.is_nan() {
                nullable
            } else if bounded {
                (-1.0..=1.5).contains(&x)
            } else {
                x.is_finite() || infinities
            }
        };
        for &value in &values {
            prop_assert_eq!(element.contains(&value), holds(value));
        }
        let domain = VectorDomain::new(element);
        prop_assert_eq!(domain.contains(&values), values.iter().all(|&x| holds(x)));
    }

    #[test]
    fn same_is_an_equivalence_that_knows_nulls_and_signs_of_zero(a in any_f64(), b in any_f64()) {
        let domain = AtomDomain::<f64>::new();
        prop_assert!(domain.same(&a, &a));
        prop_assert_eq!(domain.same(&a, &b), domain.same(&b, &a));
        prop_assert_eq!(domain.same(&a, &b), a.total_cmp(&b).is_eq() || (a.is_nan() && b.is_nan()));
    }
}
