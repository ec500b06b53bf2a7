mod bounds;
mod budget;
