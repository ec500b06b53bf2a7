mod bad_input;
mod discrete_loss;
mod exact_loss;
mod exponential_loss;
mod laws;
mod least_bits;
mod threshold;
