mod errata;
mod programs;
mod random_programs;
mod soundness;
