//! A fleet's service from outside: who gets in, what each route answers, and what another tenant can learn.

mod api;
mod events;
mod issuer;
mod matrix;
mod memory_fleet;
mod one_answer;
mod openapi;
mod python;
mod server;
