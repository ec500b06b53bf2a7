//! Where Apache Spark is.

use core::fmt;

/// Which Spark runs the statements, without a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SparkAddress {
    /// In this machine, with so many threads; all of them without a number.
    Local(Option<u32>),
    /// The masters of a standalone cluster, as `host:port` with commas between them.
    Masters(String),
}

/// The forms of an address.
pub(super) const FORM: &str = "\"spark://host:7077\" or \"spark:local[2]\"";

impl SparkAddress {
    /// Reads what follows `spark:`. The error never repeats the text.
    pub(super) fn parse(text: &str) -> Result<SparkAddress, String> {
        let wrong = || format!("`database` in [source] must be {FORM}");
        let Some(masters) = text.strip_prefix("//") else {
            return match text {
                "local[*]" => Ok(SparkAddress::Local(None)),
                "local" => Ok(SparkAddress::Local(Some(1))),
                text => text
                    .strip_prefix("local[")
                    .and_then(|text| text.strip_suffix(']'))
                    .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
                    .and_then(|digits| digits.parse().ok())
                    .filter(|threads| (1..=1024).contains(threads))
                    .map(|threads| SparkAddress::Local(Some(threads)))
                    .ok_or_else(wrong),
            };
        };
        match masters.split(',').all(is_master) {
            true => Ok(SparkAddress::Masters(masters.to_owned())),
            false => Err(wrong()),
        }
    }

    /// As Spark takes it.
    #[cfg(feature = "databases")]
    pub(crate) fn master(&self) -> String {
        match self {
            SparkAddress::Local(None) => "local[*]".to_owned(),
            SparkAddress::Local(Some(threads)) => format!("local[{threads}]"),
            SparkAddress::Masters(masters) => format!("spark://{masters}"),
        }
    }

    /// Which cluster it is. With how many threads this machine counts changes no integer.
    pub(super) fn place(&self) -> String {
        match self {
            SparkAddress::Local(_) => "spark".to_owned(),
            SparkAddress::Masters(masters) => format!("spark://{masters}"),
        }
    }
}

/// Whether a text is `host:port`.
fn is_master(text: &str) -> bool {
    let Some((host, port)) = text.rsplit_once(':') else {
        return false;
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._[]:".contains(c);
    // Only an address of version 6 has colons, and stands in brackets.
    let is_bare = !host.contains([':', '[', ']']);
    let is_bracketed = host.starts_with('[') && host.ends_with(']') && host.len() > 2;
    !host.is_empty()
        && host.chars().all(is_plain)
        && (is_bare || is_bracketed)
        && port.bytes().all(|byte| byte.is_ascii_digit())
        && port.parse::<u16>().is_ok_and(|port| port > 0)
}

impl fmt::Display for SparkAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SparkAddress::Local(None) => f.write_str("spark:local[*]"),
            SparkAddress::Local(Some(threads)) => write!(f, "spark:local[{threads}]"),
            SparkAddress::Masters(masters) => write!(f, "spark://{masters}"),
        }
    }
}
