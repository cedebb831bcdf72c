use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};
use http::{HeaderMap, HeaderValue, header::CONTENT_ENCODING};

use super::{BodyDecoder, BodyError, BodyLimits, OverflowPolicy, PushOutcome};

const CAPS: BodyLimits = BodyLimits {
    wire_bytes_max: 1 << 20,
    decoded_bytes_max: 4 << 20,
    ratio_max: 100,
    over: OverflowPolicy::Refuse,
};

fn headers(encodings: &[&'static str]) -> HeaderMap {
    encodings.iter().map(|text| (CONTENT_ENCODING, HeaderValue::from_static(text))).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn unpack(encodings: &[&'static str], caps: BodyLimits, wire: &[u8]) -> Result<Vec<u8>, &'static str> {
    let told = |trouble: BodyError| match trouble {
        BodyError::TooLarge(_) => "too large",
        BodyError::Unreadable(_) => "unreadable",
    };
    let mut body = BodyDecoder::new(&headers(encodings), caps).map_err(told)?;
    for chunk in wire.chunks(1000) {
        if body.push(chunk).map_err(told)? == PushOutcome::Enough {
            break;
        }
        assert!(body.len() <= caps.decoded_bytes_max);
    }
    body.finish().map(|bytes| bytes.to_vec()).map_err(told)
}

/// `hello world` ten times, packed by the reference tool.
const BROTLI: &[u8] = &[
    0x1b, 0x6d, 0x00, 0xf8, 0x8d, 0x94, 0x6e, 0xde, 0x44, 0x55, 0x86, 0x96, 0x6c, 0x20, 0x6f, 0x35, 0x0b,
    0x60, 0x15, 0x40, 0x06, 0xc4, 0xdd, 0x01,
];

#[test]
fn one_layer_is_unpacked() {
    let text = b"a page of words ".repeat(1000);
    assert_eq!(unpack(&[], CAPS, &text), Ok(text.clone()));
    assert_eq!(unpack(&["gzip"], CAPS, &gzip(&text)), Ok(text.clone()));
    let twice: Vec<u8> = [gzip(&text), gzip(&text)].concat();
    assert_eq!(unpack(&["gzip"], CAPS, &twice), Ok([text.clone(), text].concat()), "two members in a row");
    assert_eq!(unpack(&["gzip"], CAPS, b""), Ok(Vec::new()));
}

#[test]
fn layers_that_nobody_asked_for_are_refused() {
    for wrong in [&["gzip, gzip"][..], &["gzip", "br"], &["zstd"], &["deflate"], &["br, identity"]] {
        assert_eq!(unpack(wrong, CAPS, b"x"), Err("unreadable"), "{wrong:?}");
    }
    // A gzip inside a gzip is unpacked once; what is inside stays bytes.
    let inner = gzip(b"inner");
    assert_eq!(unpack(&["gzip"], CAPS, &gzip(&inner)), Ok(inner));
}

#[test]
fn a_bomb_stops_at_the_limit() {
    let bomb = gzip(&vec![0; 64 << 20]);
    assert!(bomb.len() < 80_000);
    assert_eq!(unpack(&["gzip"], CAPS, &bomb), Err("too large"));
    let patient = BodyLimits { ratio_max: u64::MAX, ..CAPS };
    assert_eq!(unpack(&["gzip"], patient, &bomb), Err("too large"));
    let cut = BodyLimits { over: OverflowPolicy::Cut, ratio_max: u64::MAX, ..CAPS };
    assert_eq!(unpack(&["gzip"], cut, &bomb).map(|bytes| bytes.len()), Ok(4 << 20));
    assert_eq!(unpack(&[], CAPS, &vec![b'a'; 2 << 20]), Err("too large"), "more on the wire than allowed");
}

#[test]
fn a_damaged_body_is_unreadable() {
    let packed = gzip(&b"words ".repeat(100));
    assert_eq!(unpack(&["gzip"], CAPS, &packed[..packed.len() - 9]), Err("unreadable"));
    assert_eq!(unpack(&["gzip"], CAPS, b"<html>not packed at all, says gzip"), Err("unreadable"));
    assert_eq!(unpack(&["br"], CAPS, &[0xff; 64]), Err("unreadable"));
    assert_eq!(unpack(&["br"], CAPS, &BROTLI[..8]), Err("unreadable"));
}

#[test]
fn brotli_is_unpacked() {
    assert_eq!(unpack(&["br"], CAPS, BROTLI), Ok(b"hello world".repeat(10)));
}
