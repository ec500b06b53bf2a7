mod accountants;
mod laws;
mod properties;
mod vectors;
