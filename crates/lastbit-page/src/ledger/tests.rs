use super::milliseconds;

#[test]
fn times_are_apart_by_what_they_say() {
    let apart =
        |first: &str, last: &str| milliseconds(last).unwrap() - milliseconds(first).unwrap();
    const DAY: i64 = 86_400_000;
    for (first, last, milliseconds) in [
        (
            "2024-02-28T00:00:00.000Z",
            "2024-03-01T00:00:00.000Z",
            2 * DAY,
        ),
        ("2023-02-28T00:00:00.000Z", "2023-03-01T00:00:00.000Z", DAY),
        ("2023-12-31T23:59:59.250Z", "2024-01-01T00:00:00.000Z", 750),
        ("1970-01-01T00:00:00Z", "2000-01-01T00:00:00Z", 10_957 * DAY),
    ] {
        assert_eq!(apart(first, last), milliseconds, "{first} {last}");
    }
    for wrong in ["", "x", "2024-13", "2024-01-01 äöü"] {
        assert_eq!(milliseconds(wrong), None, "{wrong}");
    }
}
