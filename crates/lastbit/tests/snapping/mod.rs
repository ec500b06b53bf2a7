mod bad_input;
mod exact_law;
mod float_law;
mod least_bits;
