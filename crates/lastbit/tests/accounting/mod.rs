mod exact;
mod vectors;
