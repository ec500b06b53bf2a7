//! Compositions against closed forms at 200 bits: the exact δ, down to 1e-30 and up to 10^4-fold,
//! is never above the upper bound nor below the lower, and both are close.

use lastbit::accounting::{Composition, Pair, gaussian_delta};
use lastbit_exact::{Down, Interval, Rational};

const VECTORS: &str = include_str!("../data/accounting.txt");

fn exact(text: &str) -> Rational {
    text.parse().unwrap()
}

/// The composition of a line, its ε, and its δ to 30 digits.
struct Vector {
    kind: &'static str,
    releases: Vec<(Pair, u64)>,
    epsilon: Rational,
    delta: Rational,
    squares: Rational,
}

fn vectors() -> impl Iterator<Item = Vector> {
    VECTORS.lines().map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let count: u64 = words[1].parse().unwrap();
        let first = exact(words[2]);
        let pair = match words[0] {
            "gaussian" => Pair::gaussian(&first),
            "pure" | "unequal" => Pair::pure(&first),
            "response" => Pair::response(&first, words[3].parse().unwrap()),
            "approximate" => Pair::approximate(&first, &exact(words[3])),
            "laplace" => Pair::laplace(&first),
            kind => panic!("unknown kind {kind}"),
        };
        let mut releases = vec![(pair.unwrap(), count)];
        if words[0] == "unequal" {
            let second = Pair::pure(&exact(words[4])).unwrap();
            releases.push((second, words[3].parse().unwrap()));
        }
        Vector {
            kind: words[0],
            releases,
            epsilon: exact(words[words.len() - 2]),
            delta: exact(words[words.len() - 1]),
            squares: &(&first * &first) * &Rational::from(count),
        }
    })
}

/// Whether an enclosure holds a number known to 30 digits, and how many times the number its upper
/// end is.
fn check(vector: &Vector, delta: Interval) -> f64 {
    let slack = &vector.delta * &exact("1e-28");
    let upper = Rational::try_from(delta.hi()).unwrap();
    let lower = Rational::try_from(delta.lo()).unwrap();
    let name = format!("{} at ε = {}", vector.kind, vector.epsilon);
    assert!(
        upper >= &vector.delta - &slack,
        "{name}: {delta:?} is below {}",
        vector.delta
    );
    assert!(
        lower <= &vector.delta + &slack,
        "{name}: {delta:?} is above {}",
        vector.delta
    );
    delta.hi() / Down::from_rational(&vector.delta).get()
}

#[test]
fn the_gaussian_profile_is_exact_to_ten_digits() {
    let mut count = 0;
    for vector in vectors().filter(|vector| vector.kind == "gaussian") {
        let delta = gaussian_delta(&vector.squares, &vector.epsilon).unwrap();
        let ratio = check(&vector, delta);
        assert!(ratio < 1.0 + 1e-10, "{ratio} times {}", vector.delta);
        count += 1;
    }
    assert!(count >= 250);
}

#[test]
fn one_release_is_exact_to_ten_digits() {
    for vector in vectors() {
        let [(pair, 1)] = &vector.releases[..] else {
            continue;
        };
        let ratio = check(&vector, pair.delta(&vector.epsilon).unwrap());
        assert!(ratio < 1.0 + 1e-10, "{} {ratio}", vector.kind);
    }
}

#[test]
fn compositions_hold_the_exact_value_and_are_tight() {
    let mut worst: f64 = 0.0;
    let mut releases = 0;
    for (i, vector) in vectors().enumerate() {
        let count: u64 = vector.releases.iter().map(|(_, count)| count).sum();
        // The longest take a second each: a few of them.
        if count > 1000 && i % 8 != 0 {
            continue;
        }
        let smallest = Down::from_rational(&vector.delta).get().clamp(1e-40, 0.1);
        let all = Composition::new(&vector.releases, Down::exact(smallest)).unwrap();
        let delta = if i % 4 == 0 {
            all.delta(&vector.epsilon).unwrap()
        } else {
            Interval::between(Down::ZERO, all.delta_above(&vector.epsilon).unwrap()).unwrap()
        };
        let ratio = check(&vector, delta);
        releases = releases.max(count);
        if vector.kind == "approximate" {
            // Their own δ may be nearly all of it, and then ε may be anything.
            assert!(ratio < 1.01, "{} × {count}: {ratio}", vector.kind);
            continue;
        }
        // The ε at the exact δ, rounded up by a last digit.
        let spent = Down::exact(Down::from_rational(&vector.delta).get() * (1.0 + 1e-12));
        let epsilon = all.epsilon_above(spent).unwrap().get();
        let beyond = epsilon - Down::from_rational(&vector.epsilon).get();
        assert!(
            beyond < 2e-3 + 1e-4 * epsilon,
            "{} × {count}: {epsilon} is {beyond} too large",
            vector.kind
        );
        worst = worst.max(beyond);
    }
    assert!(releases > 5000);
    println!("ε is at most {worst} too large");
}

#[test]
fn upper_bounds_of_random_mixtures_are_above_lower_bounds_and_near() {
    // A fixed stream.
    let mut state = 7u64;
    let mut next = |below: u64| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    // With the closed forms above, more than 1000 random compositions.
    for _ in 0..260 {
        let mut releases = Vec::new();
        // The lower bound of ranges is about other releases than the upper.
        let mut ranges = false;
        for _ in 0..1 + next(3) {
            let loss = Rational::new(1 + next(400) as i64, 1000i64);
            let kind = next(6);
            ranges |= kind == 2;
            let pair = match kind {
                0 => Pair::pure(&loss),
                1 => Pair::laplace(&loss),
                2 => Pair::bounded_range(&loss),
                3 => Pair::gaussian(&loss),
                4 => Pair::geometric(&loss, 1 + next(4)),
                _ => Pair::response(&loss, 2 + next(5)),
            };
            let mut pair = pair.unwrap();
            if next(4) == 0 {
                pair = pair
                    .with_delta(&Rational::new(1, 1i64 << (20 + next(30))))
                    .unwrap();
            }
            if next(3) == 0 {
                pair = pair
                    .poisson_sampled(&Rational::new(1 + next(9) as i64, 10))
                    .unwrap();
            }
            releases.push((pair, 1 + next(12)));
        }
        let smallest = Down::exact(10f64.powi(-(3 + next(27) as i32)));
        let all = Composition::new(&releases, smallest).unwrap();
        // An interval is refused if its ends are in the wrong order.
        for epsilon in [0i64, 1, 3] {
            let delta = all.delta(&Rational::new(epsilon, 2)).unwrap();
            let above = all.delta_above(&Rational::new(epsilon, 2)).unwrap();
            assert_eq!(delta.upper(), above);
        }
        let power = all.power(&Rational::new(1, 20)).unwrap();
        assert!(power.lo() > 0.0499 && power.hi() <= 1.0);
        assert!(ranges || power.hi() - power.lo() < 0.02);
        let epsilon = all.epsilon(smallest).unwrap();
        assert!(epsilon.lo() <= epsilon.hi());
    }
}
