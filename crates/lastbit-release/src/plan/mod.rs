//! Plans: what to publish, at which loss or error.
