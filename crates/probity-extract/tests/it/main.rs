//! The parser with a real confined process.

#[cfg(test)]
mod confined;
#[cfg(test)]
mod parser;
