mod grid;
mod reference;
mod table;
