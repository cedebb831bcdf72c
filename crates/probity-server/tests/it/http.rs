//! Streamable HTTP over raw sockets: who gets in, and what each limit does.

mod doors;
mod harness;
mod limits;
mod sessions;
