use super::*;

#[test]
fn a_code_cannot_carry_a_cell() {
    let error = SessionError::of_sqlstate("22P02");
    assert!(error.to_string().contains("(SQLSTATE 22P02)"));
    let code = |code: &str| SessionError::new(SessionProblem::Data).with_code(code);
    for text in ["ORA-00942", "ER_NO_SUCH_TABLE", "S0001"] {
        assert!(code(text).to_string().contains(&format!("({text})")));
    }
    let long = "A1".repeat(21);
    for cell in [
        "",
        "\"children\"",
        "12:30",
        "1234567",
        "SMITH",
        "Smith",
        "no number Smith",
        "-5",
        &long,
    ] {
        assert!(!code(cell).to_string().contains('('), "{}", code(cell));
        let state = SessionError::of_sqlstate(cell);
        assert!(!state.to_string().contains('('), "{state}");
    }
}
