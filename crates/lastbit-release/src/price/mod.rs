//! Prices: what a plan costs and how good its numbers will be, before any data is read.
