//! Blocks of addresses that the user refuses beside those that are not the open web.

use std::net::IpAddr;

use probity_types::{
    error::{Code, CodedError},
    web::address::shares,
};

pub use probity_types::web::address::is_public;

/// A block of addresses that the user refuses in addition, such as `203.0.114.0/24`; a bare address is a
/// block of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressBlock {
    start: IpAddr,
    length: u8,
}

impl AddressBlock {
    pub fn parse(text: &str) -> Result<Self, CodedError> {
        let wrong = || CodedError::new(Code::Settings, &format!("`{text}` is not a block of addresses"));
        let (start, length) = match text.split_once('/') {
            Some((start, length)) => (start, Some(length)),
            None => (text, None),
        };
        let start: IpAddr = start.parse().map_err(|_| wrong())?;
        let longest = if start.is_ipv4() { 32 } else { 128 };
        let length: u8 = length.map_or(Ok(longest), str::parse).map_err(|_| wrong())?;
        if length > longest { Err(wrong()) } else { Ok(Self { start, length }) }
    }

    pub fn contains(&self, address: IpAddr) -> bool {
        let plain = match address {
            IpAddr::V6(wrapped) => wrapped.to_ipv4_mapped().map_or(address, IpAddr::V4),
            IpAddr::V4(_) => address,
        };
        match (self.start, plain) {
            (IpAddr::V4(start), IpAddr::V4(address)) => {
                shares(start.to_bits().into(), address.to_bits().into(), 96 + self.length)
            }
            (IpAddr::V6(start), IpAddr::V6(address)) => {
                shares(start.to_bits(), address.to_bits(), self.length)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
