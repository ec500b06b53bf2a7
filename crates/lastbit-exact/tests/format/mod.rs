mod exhaustive;
mod laws;
mod vectors;
