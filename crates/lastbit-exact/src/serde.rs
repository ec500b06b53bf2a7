//! Exact numbers as texts: `"0.1"`, `"1/3"`.

use core::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::Rational;

impl Serialize for Rational {
    /// The text of [`Display`](fmt::Display), which reads back to the same number.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Rational {
    /// A decimal or a fraction in a text. A number of the format is refused: it may have been
    /// rounded.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Rational, D::Error> {
        deserializer.deserialize_str(Text)
    }
}

struct Text;

impl Visitor<'_> for Text {
    type Value = Rational;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an exact number in a text, such as \"0.1\" or \"1/3\"")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Rational, E> {
        text.parse().map_err(E::custom)
    }
}
