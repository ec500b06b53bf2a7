//! Differential privacy that is right to the last bit.
