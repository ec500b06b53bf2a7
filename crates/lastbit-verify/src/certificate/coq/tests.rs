use super::super::prove;
use super::*;

/// Else a digit of B beyond those of the bounds could be changed: the file would compile, about
/// another program.
#[test]
fn the_bound_stands_twice() {
    let [one, bound] = ["1", "1000.1"].map(|x| x.parse().unwrap());
    let claim = Claim::shipped(&one, &one, &bound, 118);
    let file = coq(&claim, &prove(&claim).unwrap()).unwrap();
    let digits = number(&claim.bound);
    assert!(digits.len() > 60, "{digits}");
    assert_eq!(file.matches(&digits).count(), 2, "{file}");
}
