mod least_bits;
mod precision;
mod timing;
