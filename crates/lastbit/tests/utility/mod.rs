mod accuracy;
mod bias;
mod errata;
mod law;
mod vectors;
