//! The bundle as its readers meet it: whole, damaged, forged.

#[cfg(test)]
mod damage;
#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod forged;
#[cfg(test)]
mod intact;
