mod bounds;
mod exact;
mod vectors;
