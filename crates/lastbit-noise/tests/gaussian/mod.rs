mod draws;
mod probability;
