//! How much and how long: every bound of a fetch, in one place.

use std::time::Duration;

/// What a fetch may take. The defaults are for pages of the open web.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchLimits {
    /// Connect timeout for one address. Past this the host is unreachable.
    pub connect: Duration,
    /// Timeout from the request to the first byte of the response, connecting included.
    pub first_byte: Duration,
    /// Timeout of one page with all its redirects, without waiting for its turn. Ends a drip of one byte a
    /// second.
    pub total: Duration,
    /// Bytes on the wire, and after decompression. A long PDF has 8 MiB.
    pub wire_bytes_max: u64,
    pub decoded_bytes_max: u64,
    /// Text packs to a tenth; a hundredth is a bomb.
    pub ratio_max: u64,
    /// Browsers follow 20; honest pages need two or three.
    pub redirects_max: usize,
    /// Pages of one host at the same time, and the pause between two starts.
    pub per_host_max: usize,
    pub pause: Duration,
    /// A host that asks for a longer pause in its robots.txt gets at most this one.
    pub pause_max: Duration,
    /// Pages at the same time.
    pub in_flight_max: usize,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            first_byte: Duration::from_secs(10),
            total: Duration::from_secs(30),
            wire_bytes_max: 8 * MIB,
            decoded_bytes_max: 16 * MIB,
            ratio_max: 100,
            redirects_max: 5,
            per_host_max: 2,
            pause: Duration::from_millis(250),
            pause_max: Duration::from_secs(10),
            in_flight_max: 24,
        }
    }
}

pub(super) const MIB: u64 = 1024 * 1024;
/// All header lines of one answer together. Servers send 2 kB, the chattiest 16.
pub(super) const HEADER_BYTES_MAX: usize = 64 * 1024;
/// Header lines of one answer.
pub(super) const HEADER_LINES_MAX: usize = 200;
/// Up to here any compression ratio is believed: a small page of repeated rows exceeds a hundred.
pub(super) const RATIO_FREE_BYTES: u64 = MIB;
/// A body past this size needs one of `LARGE_AT_ONCE_MAX` places before it goes on, so that many large pages at once
/// take turns instead of memory: 24 small bodies and 4 large ones stay below 128 MiB.
pub(super) const LARGE_BYTES: u64 = 2 * MIB;
pub(super) const LARGE_AT_ONCE_MAX: usize = 4;
