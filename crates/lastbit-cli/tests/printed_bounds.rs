//! What the built command prints about privacy is a bound as text: its decimal, read exactly, is
//! not below the true value.

use lastbit_exact::Rational;

use crate::support;

/// A loss, and its zCDP bound to 30 digits, rounded to nearest, by mpmath: η ↦ x − 1 − ln x with
/// x = η/(e^η − 1), ε ↦ ε + e^-ε − 1, ε ↦ ε·tanh(ε/2).
const ZCDP: &[(&str, &str)] = &[
    ("range:2.75", "0.860144121400594039874694372108"),
    ("laplace:2.75", "1.81392786120670757270243002556"),
    ("pure:2.75", "2.41952342404295807889152104923"),
    ("range:0.1", "0.00124982642745983750310199864649"),
    ("laplace:0.1", "0.00483741803595957316424905944644"),
    ("pure:0.1", "0.00499583749578799721983863652083"),
    ("range:0.3", "0.0112359655641140937801945774792"),
    ("laplace:0.3", "0.0408182206817178660668737793178"),
    ("pure:0.3", "0.0446655100869953922912427591408"),
    ("range:1", "0.123301561482244533363358360042"),
    ("laplace:1", "0.367879441171442321595523770161"),
    ("pure:1", "0.462117157260009758502318483644"),
    ("range:1.7", "0.347620499664590731115945337519"),
    ("laplace:1.7", "0.882683524052734650223900837759"),
    ("pure:1.7", "1.17481809871598200526455719767"),
    ("range:0.01", "0.0000124999826389274690427967463986"),
    ("laplace:0.01", "0.0000498337491680535739059771800366"),
    ("pure:0.01", "0.0000499995833374999578377287214219"),
    ("range:3.3", "1.19487256273228116443290318692"),
    ("laplace:3.3", "2.33688316740124000544560370474"),
    ("pure:3.3", "3.06523015080060125966944727133"),
    ("range:0.77", "0.0735101318633881632369032054266"),
    ("laplace:0.77", "0.233013068311228073255270948531"),
    ("pure:0.77", "0.282622176353926066358005739276"),
    ("range:5.1", "2.49592819160925652726299367638"),
    ("laplace:5.1", "4.10609674656551563610713456479"),
    ("pure:5.1", "5.03819002478584203586940952225"),
    ("range:0.003", "0.00000112499985937502812499389788082"),
    ("laplace:0.003", "0.00000449550337297601206623409756091"),
    ("pure:0.003", "0.00000449999662500303749723370787935"),
];

fn run(args: &[&str]) -> String {
    support::run(args).succeeded().out
}

/// The number that stands between two texts.
fn between<'a>(text: &'a str, before: &str, after: &[char]) -> &'a str {
    let (_, rest) = text.split_once(before).expect(text);
    rest.split(after).next().unwrap_or(rest)
}

fn exact(text: &str) -> Rational {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn a_converted_loss_is_not_printed_below_its_exact_value() {
    for (from, rho) in ZCDP {
        let rho = exact(rho);
        // 30 digits, rounded to nearest: the true value is within 10^-29 of it, and a double that
        // rounds it up is farther.
        let slack = &(&rho * &exact("1e-29")) * &Rational::from(2i64);
        let json = run(&["convert", "--from", from, "--to", "zcdp", "--json"]);
        let text = run(&["convert", "--from", from, "--to", "zcdp"]);
        let printed = [
            between(&json, "{\"rho\":", &['}']),
            between(&text, "ρ = ", &[' ']),
        ];
        for printed in printed {
            let value = exact(printed);
            assert!(value >= &rho - &slack, "{from}: {printed} is below {rho}");
            // And no farther above than a few last bits.
            let limit = &rho * &(&Rational::ONE + &Rational::ONE.times_power_of_two(-49));
            assert!(value <= limit, "{from}: {printed} is far above {rho}");
        }
    }
}

#[test]
fn an_amount_that_was_given_is_printed_as_given() {
    for (args, wanted) in [
        (["--from", "pure:0.1", "--to", "pure"], "ε = 0.1 "),
        (["--from", "zcdp:1e-9", "--to", "zcdp"], "ρ = 1e-9 "),
        (["--from", "range:0.3", "--to", "range"], "η = 0.3 "),
    ] {
        let args = [&["convert"][..], &args].concat();
        let text = run(&args);
        assert!(text.contains(wanted), "{text}");
    }
}
