//! Every claim of our pages as a figure: measured, with its goal, against the bare part in the same run.

pub mod area;
pub mod benchmarks;
pub mod evidence;
pub mod figure;
pub mod fleet;
pub mod foundation;
pub mod house;
pub mod journals;
pub mod kill_harness;
pub mod mcp;
mod named_kinds;
pub mod output;
pub mod pages;
pub mod people;
pub mod platforms;
pub mod provenance;
pub mod research;
pub mod rig;
pub mod rounds;
pub mod safety;
pub mod seeds;
pub mod simulation;
pub mod tested;
pub mod web;
