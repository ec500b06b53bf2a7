//! A plan as the page shows it. Its text is the truth: forms are read from it, and what they change
//! is changed in it.

mod edit;
mod fields;
mod form;
mod mistakes;
mod price;

use lastbit_release::plan::Plan;
use serde_json::{Value, json};

pub use edit::{Operation, edited};
pub use mistakes::Mistake;
pub use price::{left, prices};

use crate::directory::{Directory, hash};
use crate::server::Shared;

/// The plan of a text, or what is wrong with it.
pub fn read(directory: &Directory, text: &str) -> (Option<Plan>, Vec<Mistake>) {
    mistakes::read(directory, &fields::Read::new(text))
}

/// Everything that the page shows of a text: the form, what is wrong with it, and else its price.
pub fn look(shared: &Shared, text: &str) -> Value {
    let read = fields::Read::new(text);
    let (plan, mut mistakes) = mistakes::read(shared.directory(), &read);
    let priced = plan.map(|plan| price::price(shared, &plan));
    let price = match priced {
        None => Value::Null,
        Some(Ok(price)) => price,
        Some(Err(mistake)) => {
            mistakes.push(*mistake);
            Value::Null
        }
    };
    let mistakes = match mistakes.is_empty() {
        true => vec![],
        false => {
            let places = fields::Places::of(&read);
            mistakes.iter().map(|m| m.json(text, &places)).collect()
        }
    };
    object([
        ("text", Value::from(text)),
        ("hash", Value::from(hash(text))),
        ("form", form::form(&read)),
        ("mistakes", Value::Array(mistakes)),
        ("price", price),
    ])
}

/// An object of values that are large: `json!` would copy them.
fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    let entries = entries.into_iter();
    Value::Object(
        entries
            .map(|(key, value)| (key.to_owned(), value))
            .collect(),
    )
}

/// What is worth knowing of a plan beside its price: the smallest budget that keeps every loss and
/// error that it fixes, and what of it was released before. This takes longer than a price.
pub fn advice(shared: &Shared, plan: &Plan) -> Value {
    json!({
        "smallest": price::smallest(shared, plan),
        "before": price::before(shared, plan),
    })
}
