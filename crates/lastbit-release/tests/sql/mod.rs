mod cases;
mod injection;
mod session;
mod sqlite;
