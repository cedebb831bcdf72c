//! Whole searches at Google's API as the simulator plays it: real rules, real client, real HTTP.

#[cfg(test)]
mod driver;
#[cfg(test)]
mod exam;
#[cfg(test)]
mod rounds;
