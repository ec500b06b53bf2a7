mod cases;
mod decimals;
mod intervals;
mod scalars;
mod vectors;
