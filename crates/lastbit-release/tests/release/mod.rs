mod clinic;
mod identity;
mod stated_errors;
