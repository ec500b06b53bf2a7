mod chain;
mod domains;
mod measurement;
mod metrics;
mod rounding;
mod sized_symmetric;
mod solve;
