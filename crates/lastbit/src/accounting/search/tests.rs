use super::*;

#[test]
fn searches_end_at_the_edge() {
    for x in [5e-324, 1e-300, 0.1, 1.0, 3.7e200] {
        assert_eq!(first_double(|y| y >= x), Some(x));
        assert_eq!(last_double(|y| y <= x), x);
    }
    assert_eq!(first_double(|_| false), None);
    assert_eq!(first_double(|_| true), Some(0.0));
    assert_eq!(last_double(|_| false), 0.0);
}
