//! The real client over real HTTP against the simulated service.

#[cfg(test)]
mod chat;
#[cfg(test)]
mod driver;
#[cfg(test)]
mod scenarios;
#[cfg(test)]
mod secrets;
