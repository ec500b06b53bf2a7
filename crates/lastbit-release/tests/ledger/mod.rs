mod chain;
mod composed;
mod contract;
mod crash;
mod files;
