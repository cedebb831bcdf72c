//! The figures of the fleet: many workers, machines that die, networks that break, tenants that flood; beside the
//! bare engine, on real servers started here.

mod flood;
mod in_flight;
pub mod judge;
mod kills;
mod laptop;
mod outage;
mod partitions;
mod rolling_upgrade;
mod scale;
pub mod test_bed;
mod throughput;
mod transfer;

use crate::{
    area::Measurement,
    tested::{self, TestedFigure},
};

pub const MEASUREMENTS: &[Measurement] = &[
    ("throughput", throughput::measure),
    ("in_flight", in_flight::measure),
    ("kills", kills::measure),
    ("partitions", partitions::measure),
    ("flood", flood::measure),
    ("matrix", |size| tested::measure(&ACCESS_MATRIX, size)),
    ("outage", outage::measure),
    ("rolling", rolling_upgrade::measure),
    ("laptop", laptop::measure),
    ("carry", transfer::measure),
    ("interop", |size| tested::measure(&INTEROP, size)),
    ("scale", scale::measure),
];

/// Parts of a measurement that need a process of their own.
pub fn worker(arguments: &[String]) -> anyhow::Result<()> {
    match arguments.first().map(String::as_str) {
        Some("partitions") => partitions::work(),
        _ => anyhow::bail!("no such worker: {arguments:?}"),
    }
}

const ACCESS_MATRIX: [TestedFigure; 1] = [TestedFigure {
    test: "rest::matrix::two_tenants_and_strangers_at_every_route_tool_and_resource",
    key: "fleet.matrix",
    name: "fleet: two tenants and strangers at every route, tool and resource",
    goal: "0, with every own call working",
}];

/// OAuth and webhooks beside libraries of another language.
const INTEROP: [TestedFigure; 2] = [
    TestedFigure {
        test: "rest::python::tokens_of_authlib_are_verified_and_its_bad_ones_refused",
        key: "fleet.oauth",
        name: "fleet: tokens made with Python's authlib (RS256, ES256, EdDSA) open the service",
        goal: "3 of 3",
    },
    TestedFigure {
        test: "webhooks::webhooks_are_verified_both_ways",
        key: "fleet.webhooks",
        name: "fleet: webhooks beside Python's standardwebhooks, both ways",
        goal: "every case",
    },
];
