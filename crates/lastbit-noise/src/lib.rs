//! Entropy, lazy uniforms and exact samplers on grids.
