mod kill;
mod out;
