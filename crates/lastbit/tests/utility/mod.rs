mod accuracy;
mod bias;
mod errata;
mod law;
mod vectors;

/// A number as the parameter that it is meant for.
fn typed<T: TryFrom<lastbit::Rational, Error: std::fmt::Debug>>(number: &lastbit::Rational) -> T {
    T::try_from(number.clone()).unwrap()
}
