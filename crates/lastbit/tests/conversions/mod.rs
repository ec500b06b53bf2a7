mod composition_rules;
mod laws;
mod properties;
mod vectors;
