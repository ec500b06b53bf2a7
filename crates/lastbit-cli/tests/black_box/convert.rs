//! What `lastbit convert` says of many releases.

use crate::support::{Here, run};

/// The number of an accountant in a price list.
fn offer(list: &serde_json::Value, name: &str, key: &str) -> f64 {
    let offers = list["accountants"].as_array().unwrap();
    let offer = offers.iter().find(|offer| offer["accountant"] == name);
    offer.unwrap()[key].as_f64().unwrap()
}

#[test]
fn no_bound_of_ranges_contradicts_another() {
    let ranges = [
        "convert",
        "--from",
        "range:1",
        "--releases",
        "100",
        "--json",
    ];
    let asked = |more: &[&str]| run(&[&ranges, more].concat()).succeeded().json();
    let prices = asked(&["--delta", "1e-6"]);
    let renyi = offer(&prices, "renyi", "epsilon");
    assert!(renyi < 36.37 && prices["best"] == "renyi", "{prices}");
    let lower = offer(&prices, "pld", "lower");
    assert!(lower <= renyi && lower > 30.0, "{prices}");

    let at = asked(&["--epsilon", "36.37"]);
    let (delta, lower) = (at["delta"].as_f64().unwrap(), at["lower"].as_f64().unwrap());
    assert!(lower <= delta && delta <= 1e-6, "{at}");

    let power = asked(&["--power", "1e-22"]);
    let (low, high) = (
        power["power"]["low"].as_f64().unwrap(),
        power["power"]["high"].as_f64().unwrap(),
    );
    // 1e-6, and e^36.37 times the level.
    assert!(low <= high && high < 1.7e-6, "{power}");

    let here = Here::empty();
    here.write("list.txt", "60 range:1\n40 range:1\n");
    let list = here.run(&["convert", "--list", "list.txt", "--delta", "1e-6", "--json"]);
    let list = list.succeeded().json();
    assert_eq!(list["best"], "renyi");
    assert_eq!(offer(&list, "renyi", "epsilon"), renyi);

    let each = run(&[
        "convert",
        "--calibrate",
        "range:36.37",
        "--releases",
        "100",
        "--delta",
        "1e-6",
        "--json",
    ]);
    let each = each.succeeded().json()["each"].as_f64().unwrap();
    assert!((1.0..1.001).contains(&each), "{each}");
}

#[test]
fn a_list_of_zcdp_losses_has_a_price() {
    let here = Here::empty();
    here.write("list.txt", "2 zcdp:0.01\n1 pure:0.1\n");
    let list = here.run(&["convert", "--list", "list.txt", "--delta", "1e-6", "--json"]);
    let list = list.succeeded().json();
    let epsilon = offer(&list, "renyi", "epsilon");
    assert!(epsilon > 0.5 && epsilon < 1.2, "{list}");
    let at = here.run(&[
        "convert",
        "--list",
        "list.txt",
        "--epsilon",
        "1.2",
        "--json",
    ]);
    let at = at.succeeded().json();
    assert!(at["delta"].as_f64().unwrap() <= 1e-6, "{at}");
    assert!(at["lower"].is_null(), "{at}");
}

#[test]
fn a_word_that_is_given_twice_is_refused() {
    let here = Here::empty();
    for line in [
        "1 laplace:1 delta 0.2 delta 0",
        "1 laplace:1 delta 0 delta 0.2",
        "1 laplace:1 sampled 0.5 sampled 0.1",
    ] {
        here.write("list.txt", line);
        here.run(&["convert", "--list", "list.txt", "--delta", "0.25"])
            .refused("is given twice");
    }
}

#[test]
fn the_power_about_a_sample_is_that_of_the_test_in_the_sentence() {
    // P = 0.9·N(0, 1) + 0.1·N(10, 1) against N(0, 1), by mpmath: 0.95500.
    let args = [
        "convert",
        "--from",
        "gaussian:10",
        "--sampled",
        "0.1",
        "--power",
        "0.95",
    ];
    let done = run(&[&args[..], &["--json"]].concat()).succeeded().json();
    let (low, high) = (
        done["power"]["low"].as_f64().unwrap(),
        done["power"]["high"].as_f64().unwrap(),
    );
    assert!(low <= 0.955 && 0.955 <= high && high - low < 3e-3, "{done}");
}

#[test]
fn randomized_response_is_not_amplified_by_sampling() {
    let why = "for a row that changes its category";
    for from in ["--from", "--calibrate"] {
        let args = [
            "convert",
            from,
            "response:3,1",
            "--sampled",
            "0.1",
            "--delta",
            "1e-6",
        ];
        let done = run(&[&args[..], &["--releases", "2"]].concat());
        assert_eq!(done.status, Some(2));
        assert!(done.err.contains(why), "{}", done.err);
    }
    let here = Here::empty();
    here.write("list.txt", "1 response:2,1 sampled 0.1");
    here.run(&["convert", "--list", "list.txt", "--delta", "0.1"])
        .refused(why);
}

#[test]
fn what_hides_all_costs_nothing_and_small_deltas_have_an_epsilon() {
    for from in ["pure:0", "gaussian:0", "range:0", "laplace:0"] {
        let done = run(&[
            "convert",
            "--from",
            from,
            "--releases",
            "10",
            "--delta",
            "1e-6",
            "--json",
        ]);
        assert_eq!(
            offer(&done.succeeded().json(), "pld", "epsilon"),
            0.0,
            "{from}"
        );
    }
    let args = [
        "convert",
        "--from",
        "pure:1",
        "--sampled",
        "1e-300",
        "--releases",
        "10",
    ];
    let done = run(&[&args[..], &["--delta", "1e-6", "--json"]].concat());
    assert_eq!(offer(&done.succeeded().json(), "pld", "epsilon"), 0.0);
    let args = [
        "convert",
        "--from",
        "gaussian:1",
        "--to",
        "approx",
        "--delta",
        "1e-300",
    ];
    let done = run(&[&args[..], &["--json"]].concat()).succeeded().json();
    let epsilon = done["epsilon"].as_f64().unwrap();
    assert!((37.4488479..37.448849).contains(&epsilon), "{done}");
}

#[test]
fn a_given_number_is_not_printed_on_the_unsafe_side() {
    let args = [
        "convert",
        "--from",
        "pure:1",
        "--releases",
        "2",
        "--epsilon",
        "1/7",
    ];
    let done = run(&args).succeeded();
    assert!(
        done.out.contains("ε = 0.14285714285714288, δ"),
        "{}",
        done.out
    );
    let done = run(&["convert", "--from", "pure:1", "--power", "1/7"]).succeeded();
    assert!(
        done.out.contains("at most 0.14285714285714284 of"),
        "{}",
        done.out
    );
}

#[test]
fn equal_lines_of_a_list_are_one() {
    let here = Here::empty();
    here.write("list.txt", "1 laplace:0.1 delta 1e-9\n".repeat(400));
    let done = here.run(&["convert", "--list", "list.txt", "--delta", "1e-6"]);
    let done = done.succeeded();
    assert!(
        done.out.starts_with("400 releases by Laplace"),
        "{}",
        done.out
    );
    assert_eq!(done.out.matches("Laplace").count(), 1, "{}", done.out);
}

/// Where the profile is flat: nothing of δ is left beside that of the release.
#[test]
fn a_release_at_its_own_delta_has_its_own_epsilon() {
    for (kind, delta) in [
        ("approx:1,0.25", "0.25"),
        ("approx:0,0.25", "0.25"),
        ("approx:0.6,0.25", "0.25"),
        ("approx:3,0.25", "0.25"),
        ("approx:1,0.00000095367431640625", "0.00000095367431640625"),
        ("approx:1,1e-6", "1e-6"),
        ("approx:1,0.1", "0.1"),
    ] {
        let line = [
            "convert",
            "--from",
            kind,
            "--releases",
            "1",
            "--delta",
            delta,
            "--json",
        ];
        let done = run(&line).succeeded();
        let said: serde_json::Value = serde_json::from_str(&done.out).unwrap();
        let entries = said["accountants"]
            .as_array()
            .expect("a list of accountants");
        let own: f64 = kind["approx:".len()..]
            .split(',')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        let pld = entries
            .iter()
            .find(|entry| entry["accountant"] == "pld")
            .unwrap();
        let epsilon = pld["epsilon"]
            .as_f64()
            .unwrap_or_else(|| panic!("{kind}: {pld}"));
        let lower = pld["lower"].as_f64().unwrap();
        assert!(
            lower <= own && own <= epsilon && epsilon < own + 0.01,
            "{kind}: {pld}"
        );
    }
}
