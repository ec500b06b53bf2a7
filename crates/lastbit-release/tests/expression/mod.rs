#[cfg(feature = "engine")]
mod derive;
mod parse;
#[cfg(feature = "engine")]
mod values;
