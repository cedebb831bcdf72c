use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;

use super::{AddressBlock, is_public};

const REFUSED: &[&str] = &[
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.100.100.200",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "169.254.170.2",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.0.8",
    "192.0.2.1",
    "192.31.196.1",
    "192.52.193.1",
    "192.88.99.1",
    "192.168.0.1",
    "192.175.48.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::7f00:1",
    "64:ff9b:1::808:808",
    "100::1",
    "100:0:0:1::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:80ff:fffe",
    "2001:2::1",
    "2001:10::1",
    "2001:20::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:808:808::1",
    "2620:4f:8000::1",
    "3ffe::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fd20:ce::254",
    "fe80::1",
    "fe80::5efe:7f00:1",
    "fec0::1",
    "ff02::1",
    "2a00:1450::5efe:7f00:1",
    "2a00:1450::200:5efe:7f00:1",
    "4000::1",
    "e000::1",
];

const ALLOWED: &[&str] = &[
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "93.184.215.14",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "168.63.129.15",
    "168.63.129.17",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2606:4700::1111",
    "2a00:1450:4001::1",
    "3ffd::1",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
];

#[test]
fn what_is_not_the_open_web_is_refused() {
    let wrong: Vec<_> = REFUSED.iter().filter(|text| is_public(text.parse().unwrap())).collect();
    assert_eq!(wrong, Vec::<&&str>::new());
    let wrong: Vec<_> = ALLOWED.iter().filter(|text| !is_public(text.parse().unwrap())).collect();
    assert_eq!(wrong, Vec::<&&str>::new());
}

/// Another implementation's table: what it refuses, we refuse.
fn nobody_else_refuses_more(address: IpAddr) {
    assert!(ssrf_guard::is_public(address) || !is_public(address), "{address} is public for us only");
}

#[test]
fn every_edge_of_every_block_agrees_with_another_table() {
    for first in 0..=255_u8 {
        for second in 0..=255_u8 {
            for last in [[0, 0], [0, 1], [2, 1], [99, 1], [100, 1], [113, 1], [129, 16], [255, 255]] {
                nobody_else_refuses_more(Ipv4Addr::new(first, second, last[0], last[1]).into());
            }
        }
    }
}

proptest! {
    #[test]
    fn random_addresses_agree_with_another_table(four: u32, six: u128, prefix in 0_u16..=0xffff) {
        nobody_else_refuses_more(Ipv4Addr::from(four).into());
        nobody_else_refuses_more(Ipv6Addr::from(six).into());
        let low = u128::from(four);
        let near = (u128::from(prefix) << 112) | low;
        nobody_else_refuses_more(Ipv6Addr::from(near).into());
        // Whatever wraps a refused IPv4 address is refused, and the other way round.
        let inside = is_public(Ipv4Addr::from(four).into());
        prop_assert_eq!(is_public(Ipv6Addr::from((0xffff_u128 << 32) | low).into()), inside);
        prop_assert_eq!(is_public(Ipv6Addr::from((0x64_ff9b_u128 << 96) | low).into()), inside);
    }
}

#[test]
fn a_block_of_the_users_own() {
    let block = AddressBlock::parse("203.0.114.0/23").unwrap();
    assert!(block.contains("203.0.115.9".parse().unwrap()));
    assert!(block.contains("::ffff:203.0.115.9".parse().unwrap()));
    assert!(!block.contains("203.0.116.0".parse().unwrap()));
    assert!(AddressBlock::parse("2a00::/16").unwrap().contains("2a00:1::".parse().unwrap()));
    assert!(AddressBlock::parse("0.0.0.0/0").unwrap().contains("9.9.9.9".parse().unwrap()));
    assert!(AddressBlock::parse("9.9.9.9").unwrap().contains("9.9.9.9".parse().unwrap()));
    for wrong in ["", "9.9.9.9/33", "::/129", "9.9.9/8", "host/8", "9.9.9.9/-1"] {
        assert!(AddressBlock::parse(wrong).is_err(), "{wrong}");
    }
}
