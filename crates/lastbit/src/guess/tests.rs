use lastbit_exact::Rational;

use super::*;

fn up(text: &str) -> Up {
    Up::from_rational(&text.parse::<Rational>().unwrap())
}

/// The best guess about a pair of finite laws, exactly: half of one plus half of their
/// distance.
fn best(p: &[Rational], q: &[Rational]) -> Rational {
    let more = p.iter().zip(q).map(|(p, q)| (p - q).max(Rational::ZERO));
    let sum = more.fold(Rational::ZERO, |sum, one| &sum + &one);
    (&Rational::ONE + &sum).times_power_of_two(-1)
}

#[test]
fn randomized_response_attains_the_pure_bound() {
    // Truth with probability 3/4 is ln 3: the bound is 3/4, from above and by little.
    let guess = pure_guess(Up::exact(3.0).ln()).get();
    assert!((0.75..0.75 + 1e-14).contains(&guess), "{guess}");
    let (truth, lie) = (Rational::new(3, 4), Rational::new(1, 4));
    let (p, q) = ([truth.clone(), lie.clone()], [lie, truth]);
    assert!(best(&p, &q) <= Rational::try_from(guess).unwrap());
}

#[test]
fn responses_that_leak_attain_the_approximate_bound() {
    // With probability δ = 1/10 the answer is laid open, else it is true with probability 3/4.
    let (open, part) = (Rational::new(1, 10), Rational::new(9, 10));
    let (truth, lie) = (&part * &Rational::new(3, 4), &part * &Rational::new(1, 4));
    let p = [open.clone(), Rational::ZERO, truth.clone(), lie.clone()];
    let q = [Rational::ZERO, open, lie, truth];
    let bound = approximate_guess(Up::exact(3.0).ln(), up("0.1")).get();
    let exact = best(&p, &q);
    assert_eq!(exact, Rational::new(31, 40));
    let bound = Rational::try_from(bound).unwrap();
    assert!(exact <= bound && bound <= &exact + &Rational::new(1, 1i64 << 40));
}

#[test]
fn gaussian_noise_is_within_the_zcdp_bound() {
    // Φ(√(ρ/2)): the best guess about Gaussian noise at ρ, rounded down; from tables.
    for (rho, exact) in [
        ("0.02", "0.5398"),
        ("0.5", "0.6914"),
        ("2", "0.8413"),
        ("8", "0.9772"),
    ] {
        let (bound, exact) = (zcdp_guess(up(rho)).get(), exact.parse::<f64>().unwrap());
        assert!(exact <= bound && bound < exact + 0.13, "{rho}: {bound}");
    }
}

#[test]
fn no_loss_is_a_coin_and_a_huge_one_is_certainty() {
    assert_eq!(pure_guess(Up::ZERO).get(), 0.5);
    assert_eq!(zcdp_guess(Up::ZERO).get(), 0.5);
    for loss in [Up::exact(1000.0), Up::INFINITY] {
        assert_eq!(pure_guess(loss).get(), 1.0);
        assert_eq!(zcdp_guess(loss).get(), 1.0);
    }
    assert_eq!(approximate_guess(Up::ZERO, Up::ONE).get(), 1.0);
}
