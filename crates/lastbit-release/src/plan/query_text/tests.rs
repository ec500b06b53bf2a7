use super::checked;

#[test]
fn what_keeps_the_rows_is_allowed_and_written_with_parentheses() {
    for (text, written) in [
        ("select * from visits", "SELECT * FROM visits"),
        (
            "select patient, cost * 2 + 1 as cost from clinic.visits v where not ward = 'x' \
             and cost > 0;",
            "SELECT patient, (cost * 2) + 1 AS cost FROM clinic.visits AS v WHERE (NOT (ward \
             = 'x')) AND (cost > 0)",
        ),
        (
            "SELECT \"Pa\"\"tient\" AS p, CASE WHEN a IS NULL THEN 0 ELSE cast(a as double \
             precision) END AS a, coalesce(b, floor(c)) AS b FROM \"order\" WHERE w IN ('a', \
             'it''s') AND x BETWEEN 1 AND 2",
            "SELECT \"Pa\"\"tient\" AS p, CASE WHEN (a IS NULL) THEN 0 ELSE (CAST(a AS DOUBLE \
             PRECISION)) END AS a, coalesce(b, FLOOR(c)) AS b FROM \"order\" WHERE (w IN \
             ('a', 'it''s')) AND (x BETWEEN 1 AND 2)",
        ),
    ] {
        assert_eq!(checked(text).unwrap(), written);
    }
}

#[test]
fn what_looks_at_other_rows_at_chance_or_at_the_clock_is_refused() {
    for (text, because) in [
        ("select count(*) from t", "`count`"),
        ("select max(a) as a from t", "`max`"),
        ("select distinct a from t", "DISTINCT"),
        ("select distinct on (a) a from t", "DISTINCT"),
        ("select a from t group by a", "GROUP BY"),
        ("select a from t having true", "GROUP BY"),
        ("select a from t limit 5", "LIMIT"),
        ("select a from t offset 5", "LIMIT"),
        ("select a from t fetch first 5 rows only", "LIMIT"),
        ("select a from t order by a", "ORDER BY"),
        ("select a from t, u", "a join"),
        ("select a from t join u on t.a = u.a", "a join"),
        ("select a from t cross join u", "a join"),
        ("select a from t union all select a from t", "UNION"),
        ("with t as (select 1) select a from t", "WITH"),
        ("values (1)", "UNION and the like"),
        ("select a from (select a from t) as u", "one table"),
        ("select a from generate_series(1, 10)", "more than SELECT"),
        ("select a from t tablesample bernoulli (1)", "SELECT"),
        ("select a from t for update", "more than SELECT"),
        ("select a into u from t", "more than SELECT"),
        (
            "select row_number() over (order by a) as n from t",
            "other rows",
        ),
        ("select abs(a) over () as n from t", "other rows"),
        ("select abs(a) filter (where b) as n from t", ""),
        ("select abs(distinct a) as n from t", "more than SELECT"),
        (
            "select a from t where b = (select max(b) from t)",
            "inside of the query",
        ),
        (
            "select a from t where exists (select 1 from u)",
            "inside of the query",
        ),
        (
            "select a from t where a in (select 1 from u)",
            "inside of the query",
        ),
        ("select random() as a from t", "`random`"),
        ("select now() as a from t", "`now`"),
        ("select current_date as a from t", "current_date"),
        ("select current_user as a from t", "current_user"),
        ("select ctid as a from t", "`ctid`"),
        ("select t.\"rowid\" as a from t", "`rowid`"),
        ("select _metadata.row_index as a from t", "`_metadata`"),
        ("select t._metadata.file_name as a from t", "`_metadata`"),
        ("select unnest(a) as a from t", "`unnest`"),
        ("select pg_sleep(1) as a from t", "`pg_sleep`"),
        ("select public.abs(a) as a from t", "`public.abs`"),
        ("select a, t.* from t", "one by one"),
        ("select a + 1 from t", "needs a name"),
        ("select a, b as A from t", "two columns"),
        ("select a from t where b = 'x\\'", "backslash"),
        ("select a from t where b = E'x'", ""),
        ("select a from t; drop table t", "one SELECT"),
        ("drop table t", "one SELECT"),
        ("select cast(a as regclass) as a from t", "a cast"),
        ("select a from t where b ~ 'x'", ""),
        ("select a from t where b = $1", ""),
        ("select `a` from t", ""),
        ("", "one SELECT"),
    ] {
        let error = checked(text).expect_err(text);
        assert!(error.contains(because), "{text}: {error}");
    }
}

#[test]
fn deep_and_long_queries_are_refused() {
    let deep = format!(
        "select {}a{} as a from t",
        "(".repeat(3000),
        ")".repeat(3000)
    );
    assert!(checked(&deep).is_err());
    let long = format!("select a from t where {}", vec!["a"; 40_000].join(" + "));
    assert!(checked(&long).is_err());
}
