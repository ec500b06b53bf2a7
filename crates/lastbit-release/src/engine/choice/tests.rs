use super::*;

#[test]
fn ranks_are_the_hashes_of_the_stated_texts() {
    let key = [0xa7; 32];
    let mut choice = Ranking::new(&key);
    let digits = "a7".repeat(32);
    let of = |text: String| -> Rank { Sha256::digest(text.as_bytes()).into() };
    let group = group_text(12, ["north", "é,1:"]);
    assert_eq!(group, "12,5:north,5:é,1:".as_bytes());
    assert_eq!(
        choice.group(b"ann", &group),
        of(format!("{digits}|0|3:ann18:12,5:north,5:é,1:"))
    );
    let mut rows = choice.rows(b"-7", b"0");
    let words = [Some(0), None, Some(u64::MAX - 1)];
    assert_eq!(
        rows.rank(words.into_iter(), 10),
        of(format!("{digits}|1|2:-71:0|0|-|18446744073709551614|10"))
    );
    assert_eq!(
        rows.rank([].into_iter(), 0),
        of(format!("{digits}|1|2:-71:0|0"))
    );
    assert_eq!(hex(&unit_hash("abc")), "ba7816bf8f01cfea414140de5dae22");
    assert_eq!(unit_name("a text of fifte"), b"a text of fifte");
    assert_eq!(
        unit_name("a text of sixteen"),
        hex(&unit_hash("a text of sixteen")).as_bytes()
    );
}
