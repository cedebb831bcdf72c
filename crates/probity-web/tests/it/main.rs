//! The crate from outside: real sockets on this machine, no outside world.

#[cfg(test)]
mod archive;
#[cfg(test)]
mod bombs;
#[cfg(test)]
mod browser;
#[cfg(test)]
mod browser_attacks;
#[cfg(test)]
mod fetch;
#[cfg(test)]
mod page_service;
#[cfg(test)]
mod search;
#[cfg(test)]
mod search_clients;
#[cfg(test)]
mod search_servers;
#[cfg(test)]
mod ssrf;
