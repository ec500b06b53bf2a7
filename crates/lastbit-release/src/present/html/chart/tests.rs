use super::*;

#[test]
fn labels_are_broken_at_spaces_and_cut_ones_differ() {
    let two = "North-East Midlands · Professional occupations";
    assert_eq!(
        label_lines(two, 26),
        ["North-East Midlands", "Professional occupations"]
    );
    assert_eq!(label_lines("North · East", 26), ["North", "East"]);
    assert_eq!(label_lines("", 18), [""]);
    assert_eq!(label_lines(&"x".repeat(40), 18).len(), 3);
    // Many words, so that lines are not full; what is cut looks like no other.
    let long = |last: char| format!("{} {last}", "wordwordword ".repeat(9).trim_end());
    let [a, b] = ['a', 'b'].map(|last| label_lines(&long(last), 18));
    assert!(a.len() <= MOST_LINES && a != b, "{a:?}");
    for line in a.iter().chain(&b) {
        assert!(line.chars().count() <= 18, "{line}");
    }
}
