//! Functions of SQL that expressions lack, with the reason and the remedy.

/// Why a function is refused, by its name in small letters.
pub(super) fn reason(name: &str) -> Option<&'static str> {
    Some(match name {
        "min" | "max" => {
            "it looks at other rows; for the smallest or largest value of one row write least(…) \
             or greatest(…)"
        }
        "count" | "sum" | "avg" | "mean" | "median" | "mode" | "stddev" | "stddev_pop"
        | "stddev_samp" | "variance" | "var_pop" | "var_samp" | "covar_pop" | "covar_samp"
        | "corr" | "quantile" | "percentile_cont" | "percentile_disc" | "string_agg"
        | "array_agg" | "group_concat" | "listagg" | "any_value" | "bool_and" | "bool_or"
        | "every" | "first" | "last" | "total" | "approx_distinct" | "grouping" => {
            "it looks at other rows, so one row could change many; ask for it as a statistic of \
             the plan"
        }
        "row_number" | "rank" | "dense_rank" | "percent_rank" | "cume_dist" | "ntile" | "lag"
        | "lead" | "first_value" | "last_value" | "nth_value" => WINDOW,
        "random" | "rand" | "randn" | "uuid" | "uuidv4" | "uuidv7" | "gen_random_uuid"
        | "newid" | "setseed" | "nextval" => {
            "it gives another value each time, and a release must be the same each time; use a \
             column of the file"
        }
        "now"
        | "today"
        | "current_date"
        | "current_time"
        | "current_timestamp"
        | "localtime"
        | "localtimestamp"
        | "getdate"
        | "sysdate"
        | "clock_timestamp"
        | "statement_timestamp"
        | "transaction_timestamp"
        | "unix_timestamp"
        | "age" => {
            "it depends on when it is run; write the day that is meant, as date '2024-01-31'"
        }
        "current_user" | "session_user" | "user" | "current_role" | "current_catalog"
        | "current_schema" | "current_setting" | "version" | "database" | "pg_sleep" => {
            "it depends on the session and not on the row; leave it out"
        }
        "to_char" | "to_date" | "to_timestamp" | "to_number" | "strftime" | "strptime"
        | "date_format" | "format" | "printf" | "initcap" | "collate" => {
            "it depends on formats or a locale; use date(…), timestamp(…), number(…), text(…), \
             substr(…) and the date functions"
        }
        "ln" | "log" | "log2" | "log10" | "exp" | "pow" | "power" | "sin" | "cos" | "tan"
        | "asin" | "acos" | "atan" | "atan2" | "cbrt" => {
            "its last bits differ between machines and engines; write products, or derive the \
             column in the file"
        }
        "ifnull" | "nvl" | "isnull" => "write coalesce(x, y)",
        "if" | "iif" | "iff" | "decode" | "nvl2" => "write case when … then … else … end",
        "len" | "char_length" | "character_length" | "octet_length" => {
            "write length(x), which counts characters"
        }
        "ucase" => "write upper(x)",
        "lcase" => "write lower(x)",
        "ltrim" | "rtrim" | "btrim" => "write trim(x), which trims both ends",
        "ceiling" => "write ceil(x)",
        "truncate" => "write trunc(x)",
        "mod" => "write x % y",
        "sign" => "write case when x > 0 then 1 when x < 0 then -1 when x = 0 then 0 end",
        "dayofweek" | "dow" | "isodow" => "write weekday(x): 1 for Monday to 7 for Sunday",
        "weekofyear" | "isoweek" => "write week(x)",
        "dayofmonth" => "write day(x)",
        "date_diff" | "datediff" | "julianday" | "date_sub" | "date_add" | "dateadd"
        | "timestampdiff" => {
            "its arguments mean different things in different engines; write date(x) - date(y), or \
             date(x) + 7"
        }
        "left" => "write substr(x, 1, n)",
        "right" | "reverse" | "replace" | "regexp_matches" | "regexp_replace" | "regexp_like"
        | "split_part" | "strpos" | "instr" | "contains" | "ends_with" => {
            "use substr, like and starts_with"
        }
        "double" | "float" | "real" | "numeric" | "decimal" => "write number(x)",
        "int" | "integer" | "bigint" => "write round(x), floor(x) or trunc(x)",
        "varchar" | "string" => "write text(x)",
        "bool" => "write boolean(x)",
        _ => return None,
    })
}

/// Why window functions are refused.
pub(super) const WINDOW: &str =
    "it looks at other rows, so one row could change many; expressions see one row only";

/// Names without parentheses that mean a value of the session or the clock in SQL.
pub(super) fn is_session(name: &str) -> bool {
    [
        "current_date",
        "current_time",
        "current_timestamp",
        "localtime",
        "localtimestamp",
        "current_user",
        "session_user",
        "current_role",
        "current_catalog",
        "current_schema",
    ]
    .iter()
    .any(|word| name.eq_ignore_ascii_case(word))
}
