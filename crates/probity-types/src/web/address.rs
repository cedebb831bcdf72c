//! Which addresses are the open web. Addresses of this machine, its network, a cloud's metadata or
//! no host at all are not, also when they are embedded in an IPv6 address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 blocks that are not the open web (IANA's special-purpose registry, and one cloud address).
const NOT_PUBLIC_V4: &[([u8; 4], u8)] = &[
    ([0, 0, 0, 0], 8),        // this host; Linux connects 0.0.0.0 to itself
    ([10, 0, 0, 0], 8),       // private
    ([100, 64, 0, 0], 10),    // carrier-grade NAT; some clouds' metadata (100.100.100.200)
    ([127, 0, 0, 0], 8),      // loopback
    ([168, 63, 129, 16], 32), // Azure's wire server: a public address that answers inside every Azure machine
    ([169, 254, 0, 0], 16),   // link-local, where clouds keep their metadata
    ([172, 16, 0, 0], 12),    // private
    ([192, 0, 0, 0], 24),     // protocol assignments; Oracle's metadata (192.0.0.192)
    ([192, 0, 2, 0], 24),     // documentation
    ([192, 31, 196, 0], 24),  // AS112
    ([192, 52, 193, 0], 24),  // AMT
    ([192, 88, 99, 0], 24),   // 6to4 relays
    ([192, 168, 0, 0], 16),   // private
    ([192, 175, 48, 0], 24),  // AS112
    ([198, 18, 0, 0], 15),    // benchmarks
    ([198, 51, 100, 0], 24),  // documentation
    ([203, 0, 113, 0], 24),   // documentation
    ([224, 0, 0, 0], 4),      // multicast
    ([240, 0, 0, 0], 4),      // reserved, broadcast
];

/// The only IPv6 block that is allocated for the open web; everything outside is refused.
const PUBLIC_V6: ([u16; 8], u8) = ([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

/// Parts of that block that are something else.
const NOT_PUBLIC_V6: &[([u16; 8], u8)] = &[
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), // protocols: Teredo, benchmarks, ORCHID 2001:10::/28 and 2001:20::/28
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32), // documentation
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16), // 6to4: where it comes out is up to a relay
    ([0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48), // AS112
    ([0x3ffe, 0, 0, 0, 0, 0, 0, 0], 16), // 6bone, given back
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20), // documentation
];

/// The well-known prefix through which IPv6-only networks reach IPv4: judged by the IPv4 address inside.
const NAT64: ([u16; 8], u8) = ([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96);

/// The half of an ISATAP address that says "the rest is an IPv4 address", with and without the global bit.
const ISATAP: [(u16, u16); 2] = [(0, 0x5efe), (0x200, 0x5efe)];

/// Whether an address belongs to the open web.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = address.to_bits();
    !NOT_PUBLIC_V4
        .iter()
        .any(|(start, length)| shares(bits.into(), Ipv4Addr::from(*start).to_bits().into(), 96 + length))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let within = |(start, length): &([u16; 8], u8)| {
        shares(address.to_bits(), Ipv6Addr::from(*start).to_bits(), *length)
    };
    if let Some(inside) = address.to_ipv4_mapped() {
        return is_public_v4(inside);
    }
    if within(&NAT64) {
        let [.., a, b, c, d] = address.octets();
        return is_public_v4(Ipv4Addr::new(a, b, c, d));
    }
    let [.., first, second, _, _] = address.segments();
    within(&PUBLIC_V6) && !NOT_PUBLIC_V6.iter().any(within) && !ISATAP.contains(&(first, second))
}

/// Whether two addresses agree in their first `length` bits. IPv4 is in the last 32 of the 128.
pub fn shares(left: u128, right: u128, length: u8) -> bool {
    (left ^ right).checked_shr(u32::from(128 - length.min(128))).is_none_or(|rest| rest == 0)
}
