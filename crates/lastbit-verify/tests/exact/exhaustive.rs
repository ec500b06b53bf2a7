//! Small formats, every `U*` enumerated.

use lastbit::mechanisms::snapping::{CHARGED, FloatParameters, FormatArithmetic, PUBLISHED, noisy};
use lastbit_exact::{Dyadic, Format, Rational, Rounding};
use lastbit_noise::UStar;
use lastbit_verify::exact::exhaustive::{Setting, Sweep, row, settings, sweep, worst_laws};
use lastbit_verify::exact::law::bisected_law;
use lastbit_verify::exact::picture::{Level, loss_svg};
use lastbit_verify::exact::small::Small;
use lastbit_verify::exact::{Pattern, divergence};

#[test]
fn small_arithmetic_in_doubles_is_the_format_to_the_last_bit() {
    for (precision, scale, bound, value) in [
        (5, 0.8125, 6.5, -1.875),
        (8, 1.0, 1.9921875, 0.4140625),
        (12, 0.70703125, 19.875, -19.875),
    ] {
        let exact = |x: f64| Dyadic::try_from(x).unwrap();
        let format = Format::new(precision).unwrap();
        for x in [scale, bound, value] {
            assert!(
                format.contains(&exact(x)),
                "{x} has more than {precision} bits"
            );
        }
        let big = FloatParameters {
            scale: exact(scale),
            grid_exponent: 0,
            bound: exact(bound),
        };
        let output = |negative: bool, pattern: &Pattern| {
            let u = UStar::new(pattern.mantissa.clone(), pattern.exponent, precision);
            let output = noisy(&FormatArithmetic(format), &exact(value), negative, &u, &big);
            Ok(output.to_f64(Rounding::NearestEven))
        };
        let bisected = bisected_law(precision, [-bound, bound], output).unwrap();
        let small = Small::new(precision, precision, Small::last_exponent(bound / scale)).unwrap();
        let parameters = FloatParameters {
            scale,
            grid_exponent: 0,
            bound,
        };
        assert_eq!(small.law(value, &parameters).unwrap(), bisected);
    }
}

fn within_the_charge(precision: u32, extent: Sweep) {
    let settings = settings(precision, extent);
    assert!(settings.len() as u32 >= extent.scales * extent.bounds * 3 / 4);
    let rows = sweep(&settings, extent.values, &|_| {}).unwrap();
    assert_eq!(rows.len(), settings.len());
    let mut most: f64 = 0.0;
    for row in &rows {
        assert!(row.setting.is_inside());
        assert!(row.is_within(CHARGED), "{row:?}");
        assert!(row.is_within(PUBLISHED), "{row:?}");
        let certified = row
            .certified
            .as_ref()
            .expect("inside the limits there is a proof");
        assert!(
            Rational::try_from(row.excess.get()).unwrap() <= *certified,
            "{row:?}"
        );
        assert!(*certified <= row.charged, "{row:?}");
        most = most.max(row.share(&row.published));
    }
    println!(
        "p = {precision}: {:.0} % of the published slack",
        100.0 * most
    );
    // A sweep that finds nothing at all is blind: rounding does show at these precisions.
    assert!(most > 0.05);
}

#[test]
fn inside_the_limits_no_pair_loses_more_than_the_formulas_allow() {
    let extent = |scales, bounds, values| Sweep {
        scales,
        bounds,
        values,
    };
    within_the_charge(8, extent(8, 4, 24));
    within_the_charge(9, extent(6, 4, 20));
    within_the_charge(10, extent(5, 3, 14));
    within_the_charge(11, extent(3, 3, 10));
    within_the_charge(12, extent(2, 2, 8));
}

#[test]
fn outside_the_limits_whole_cells_become_unreachable() {
    // The example of the limits: p = 5, λ = 1, B = 20.
    let setting = Setting {
        precision: 5,
        scale: 1.0,
        bound: 20.0,
    };
    assert!(!setting.is_inside());
    let small = Small::new(5, 5, Small::last_exponent(20.0)).unwrap();
    let broken = row(&small, setting, 40).unwrap();
    assert!(!broken.excess.is_finite());
    let laws = worst_laws(&broken).unwrap();
    assert!(divergence(&laws[0], &laws[1]).smaller.is_zero());
    // Below 8 bits a sweep meets such settings by itself.
    let rows = sweep(
        &settings(
            5,
            Sweep {
                scales: 2,
                bounds: 4,
                values: 24,
            },
        ),
        24,
        &|_| {},
    )
    .unwrap();
    assert!(rows.iter().any(|row| !row.is_within(CHARGED)));
}

#[test]
fn erratum_4_a_uniform_shorter_than_the_arithmetic_breaks_the_bound() {
    let parameters = FloatParameters {
        scale: 1.0,
        grid_exponent: 0,
        bound: 6.0,
    };
    let last = Small::last_exponent(6.0);
    let short = Small::new(16, 5, last).unwrap();
    let setting = Setting {
        precision: 16,
        scale: 1.0,
        bound: 6.0,
    };
    let worst = (-48..=40)
        .map(|i| f64::from(i) / 8.0)
        .map(|value| {
            let [one, other] = [value, value + 1.0].map(|x| short.law(x, &parameters).unwrap());
            divergence(&one, &other).loss().lo()
        })
        .fold(0.0, f64::max);
    let allowed = 1.0 + setting.slack(CHARGED).to_f64(Rounding::Up);
    assert!(worst > 1.07 && allowed < 1.003, "{worst} against {allowed}");
}

#[test]
fn an_enumeration_that_ends_too_early_is_refused() {
    let small = Small::new(8, 8, 3).unwrap();
    let parameters = FloatParameters {
        scale: 1.0,
        grid_exponent: 0,
        bound: 20.0,
    };
    assert_eq!(small.law(0.0, &parameters), None);
    assert!(Small::new(26, 26, 1).is_err() && Small::new(1, 8, 1).is_err());
}

#[test]
fn progress_reaches_every_setting_and_the_picture_shows_every_output() {
    let settings = settings(
        8,
        Sweep {
            scales: 2,
            bounds: 2,
            values: 4,
        },
    );
    let seen = std::sync::Mutex::new(Vec::new());
    let rows = sweep(&settings, 4, &|done| seen.lock().unwrap().push(done)).unwrap();
    let mut seen = seen.into_inner().unwrap();
    seen.sort();
    assert_eq!(seen, (1..=settings.len()).collect::<Vec<_>>());
    let [one, other] = worst_laws(&rows[0]).unwrap();
    let level = Level {
        name: "p < 9 & ideal",
        loss: 1.0,
        colour: "#888",
    };
    let svg = loss_svg("t", &one, &other, &[level]);
    assert_eq!(
        svg.matches("<circle").count(),
        one.masses().len().max(other.masses().len())
    );
    assert!(svg.contains("p &lt; 9 &amp; ideal") && svg.ends_with("</svg>\n"));
}
