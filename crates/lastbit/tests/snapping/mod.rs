mod bad_input;
mod cores;
mod exact_law;
mod float_law;
mod least_bits;
