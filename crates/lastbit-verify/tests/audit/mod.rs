mod binomial;
mod bound;
mod command;
