//! The crate from outside: real sockets on this machine, no outside world.

#[cfg(test)]
mod archive;
#[cfg(test)]
mod browser;
#[cfg(test)]
mod fetch;
#[cfg(test)]
mod search;
