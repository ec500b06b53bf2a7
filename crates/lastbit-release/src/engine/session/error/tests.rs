use super::*;

#[test]
fn a_code_cannot_carry_a_cell() {
    let error = SessionError::of_sqlstate("22P02");
    assert!(error.to_string().contains("(SQLSTATE 22P02)"));
    for cell in ["", "\"children\"", "12:30", &"a".repeat(41)] {
        let error = SessionError::new(SessionProblem::Data).with_code(cell);
        assert!(!error.to_string().contains('('), "{error}");
    }
}
