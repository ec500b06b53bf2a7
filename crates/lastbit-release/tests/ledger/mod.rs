mod chain;
mod contract;
mod crash;
mod files;
