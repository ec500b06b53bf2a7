mod exhaustive;
mod law;
mod pairs;
