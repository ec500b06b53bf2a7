mod alone;
mod bounds;
mod budget;
