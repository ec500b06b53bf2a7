mod cases;
mod injection;
mod sqlite;
