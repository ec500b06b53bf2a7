mod errors;
mod round_trip;
