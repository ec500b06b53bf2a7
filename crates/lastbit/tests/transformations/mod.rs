mod chain;
mod errors;
mod neighbours;
mod peer_bugs;
mod properties;
mod rows;
mod statistics;
mod tree;
