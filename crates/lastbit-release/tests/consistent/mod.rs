//! Statistics that are made to add up: what is tied, what neighbours move, and what is published.
#![cfg(feature = "engine")]

mod families;
mod neighbours;
mod released;
