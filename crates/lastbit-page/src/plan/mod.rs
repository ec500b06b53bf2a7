//! A plan as the page shows it. Its text is the truth: forms are read from it, and what they change
//! is changed in it.

mod edit;
mod fields;
mod form;
mod mistakes;
mod price;

use serde_json::{Value, json};

pub use edit::{Operation, edited};
pub use mistakes::{Mistake, read};
pub use price::{left, prices};

use crate::directory::hash;
use crate::server::Shared;

/// Everything that the page shows of a text: the form, what is wrong with it, and else its price.
pub fn look(shared: &Shared, text: &str) -> Value {
    let (plan, mut mistakes) = read(shared.directory(), text);
    let priced = plan.map(|plan| price::price(shared, &plan));
    let price = match priced {
        None => Value::Null,
        Some(Ok(price)) => price,
        Some(Err(mistake)) => {
            mistakes.push(*mistake);
            Value::Null
        }
    };
    let places = fields::Places::of(text);
    json!({
        "text": text,
        "hash": hash(text),
        "form": form::form(text),
        "mistakes": mistakes.iter().map(|mistake| mistake.json(text, &places)).collect::<Vec<_>>(),
        "price": price,
    })
}

/// The smallest budget that keeps every loss and error that the text fixes, in words.
pub fn smallest(shared: &Shared, text: &str) -> Value {
    let (plan, _) = read(shared.directory(), text);
    json!({ "smallest": plan.and_then(|plan| price::smallest(shared, &plan)) })
}
