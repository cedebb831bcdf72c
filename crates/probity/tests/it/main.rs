//! The real binary against the simulator: what a user sees, what is on disk, and what the provider was asked.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests panic"
)]

mod admission;
mod arguments;
mod bench;
mod canary;
mod child;
mod client;
mod clients;
mod commands;
mod config;
mod damage;
mod demo;
mod docs;
mod documents;
mod endings;
mod engine_choice;
mod escapes;
mod estimates;
mod faults;
mod files;
mod firecrawl;
mod harness;
mod interruptions;
mod isolation;
mod laptop;
mod library;
mod limits;
mod malformed;
mod mcp;
mod money;
mod notifications;
mod one_answer;
mod origins;
mod own_words;
mod page_bombs;
mod passed_over;
mod privacy;
mod project;
mod research;
mod rounds;
mod rounds_checked;
mod rounds_cli;
mod rounds_engines;
mod rounds_real_cli;
mod scenarios;
mod scripted_cli;
mod seed_answers;
mod seed_files;
mod seeded_random;
mod serve;
mod setup;
mod stdout_purity;
mod strangers;
mod termination;
mod tidy;
mod true_sentences;
mod unread;
mod update;
mod watch;
mod ways_out;
mod web;
