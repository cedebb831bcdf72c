//! Whole searches at Google's API as the simulator plays it: real rules, real client, real HTTP.

mod driver;
mod rounds;
