//! Streamable HTTP over raw sockets: who gets in, and what each limit does.

mod access;
mod harness;
mod limits;
mod sessions;
