//! Whole searches at Google's API and whole inquiries on the web as the simulator plays them: real rules, real client,
//! real HTTP.

#[cfg(test)]
mod driver;
#[cfg(test)]
mod exam;
#[cfg(test)]
mod inquiry;
#[cfg(test)]
mod inquiry_driver;
#[cfg(test)]
mod rounds;
