//! Every rule of the page, by a request that breaks it. Each test also makes the request that keeps
//! it, so that none can pass by accident.

mod access;
mod limits;
mod names;
