use super::*;

#[test]
fn a_query_of_a_source_is_quoted_anew() {
    let query = Spark.query("SELECT \"a`b\", 'it''s' AS c FROM \"parquet\".\"/data/x\"");
    assert_eq!(
        query.unwrap(),
        "SELECT `a``b`, concat('it', char(39), 's') AS c FROM `parquet`.`/data/x`"
    );
    assert!(Spark.query("SELECT \"${env:HOME}\" FROM t").is_err());
    let text = Spark.query("SELECT '${env:HOME}' AS c FROM t").unwrap();
    assert!(!text.contains("${"), "{text}");
}
