mod exhaustive;
mod grid;
mod premises;
mod programs;
mod tampering;
