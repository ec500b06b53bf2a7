//! The statistic of the timing attack, on synthetic times: clocks are for the command.

use lastbit_noise::entropy::{Entropy, System};
use lastbit_verify::attack::timing::{correlation, stratified};

fn uniforms(count: usize) -> Vec<f64> {
    let mut entropy = System::default();
    (0..count)
        .map(|_| (entropy.word().unwrap() >> 11) as f64)
        .collect()
}

#[test]
fn spearman_is_right_with_ties() {
    // ρ by hand: ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4 (less 2.5): 4.5/√(4.5·5).
    let found = correlation(
        &[1.0, 7.0, 7.0, 9.0],
        &[0.1, 0.2, 0.3, 0.4],
        1,
        &mut System::default(),
    );
    assert!((found.unwrap().rho - 4.5 / (4.5f64 * 5.0).sqrt()).abs() < 1e-15);
    let falling = correlation(
        &[3.0, 2.0, 1.0],
        &[1.0, 4.0, 9.0],
        1,
        &mut System::default(),
    )
    .unwrap();
    assert_eq!(falling.rho, -1.0);
    let constant = correlation(&[5.0; 10], &uniforms(10), 20, &mut System::default()).unwrap();
    assert!(constant.rho == 0.0 && !constant.is_significant());
}

#[test]
fn a_time_that_grows_with_the_noise_is_found() {
    // 100 ticks of jitter and 10 for each unit of noise in 0..8. In 2000 calls ρ ≈ 0.6; under the
    // null its deviation is 1/√1999, so the threshold of 99 permutations reaches 0.3 with
    // probability below 99·e^(−0.09·1999/2·…) < 1e-9.
    let noise: Vec<f64> = uniforms(2000).iter().map(|u| u % 8.0).collect();
    let times: Vec<f64> = uniforms(2000)
        .iter()
        .zip(&noise)
        .map(|(u, n)| u % 100.0 + 10.0 * n)
        .collect();
    let found = correlation(&times, &noise, 99, &mut System::default()).unwrap();
    assert!(found.is_significant() && found.rho > 0.3, "{found:?}");
    assert_eq!(found.false_alarm(), 0.01);
}

#[test]
fn independent_times_alarm_as_often_as_stated() {
    // 400 independent tests at 1/20 each: more than 60 alarms have probability below 1e-9 (exact
    // binomial tail).
    let tail = lastbit_verify::audit::binomial::tail_at_least(61, 400, 0.05);
    assert!(tail.get() < 1e-9);
    let alarms = (0..400)
        .filter(|_| {
            let found = correlation(&uniforms(50), &uniforms(50), 19, &mut System::default());
            found.unwrap().is_significant()
        })
        .count();
    assert!(alarms <= 60, "{alarms} alarms in 400");
}

#[test]
fn what_differs_only_between_outputs_is_no_correlation() {
    // Two outputs, of which the second is slow and comes from the second input more often: pooled,
    // time goes with the input; within each output it does not. The pooled ρ is about 0.5, its null
    // deviation 1/√3999.
    let coin = |share: f64| uniforms(1)[0] < share * 2f64.powi(53);
    let (mut times, mut data, mut outputs) = (vec![], vec![], vec![]);
    for i in 0..4000 {
        let far = i % 2 == 1;
        let slow = coin(if far { 0.8 } else { 0.2 });
        times.push(uniforms(1)[0] % 10.0 + if slow { 100.0 } else { 0.0 });
        data.push(f64::from(far));
        outputs.push(u64::from(slow));
    }
    let entropy = &mut System::default();
    assert!(correlation(&times, &data, 99, entropy).unwrap().rho > 0.3);
    // 10 deviations.
    assert!(
        stratified(&times, &data, &outputs, 19, entropy)
            .unwrap()
            .rho
            .abs()
            < 0.16
    );
}
