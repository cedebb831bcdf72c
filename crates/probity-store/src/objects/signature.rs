//! Signature version 4 of S3 requests, in headers. Pure: the date comes in.
//!
//! Signs requests without a query whose path needs no escaping: ours have no other.

use std::fmt::Write as _;

use aws_lc_rs::{digest, hmac};
use probity_research::time::Moment;

use super::keys::ObjectKeys;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// What is signed beside the keys.
pub struct SignatureInput<'a> {
    pub method: &'a str,
    /// With the leading slash.
    pub path: &'a str,
    pub region: &'a str,
    /// Names in lower case and in alphabetic order.
    pub headers: &'a [(&'a str, &'a str)],
    /// SHA-256 of the body in hex.
    pub payload: &'a str,
    /// As `stamp` gives it.
    pub stamp: &'a str,
}

/// The `Authorization` header.
pub fn authorization(signed: &SignatureInput<'_>, keys: &ObjectKeys) -> String {
    let names: Vec<&str> = signed.headers.iter().map(|(name, _)| *name).collect();
    let names = names.join(";");
    let day: String = signed.stamp.chars().take(8).collect();
    let scope = format!("{day}/{}/s3/aws4_request", signed.region);
    let request = sha256_hex(canonical(signed, &names).as_bytes());
    let text = format!("{ALGORITHM}\n{}\n{scope}\n{request}", signed.stamp);
    let mut key = format!("AWS4{}", keys.secret()).into_bytes();
    for part in [day.as_str(), signed.region, "s3", "aws4_request"] {
        key = hmac(&key, part);
    }
    let signature = hex(&hmac(&key, &text));
    format!("{ALGORITHM} Credential={}/{scope},SignedHeaders={names},Signature={signature}", keys.id())
}

/// `20261115T202000Z`.
pub fn stamp(at: Moment) -> String {
    let mut stamp: String = at.to_string().chars().take(19).filter(char::is_ascii_alphanumeric).collect();
    stamp.push('Z');
    stamp
}

pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(digest::digest(&digest::SHA256, bytes).as_ref())
}

fn canonical(signed: &SignatureInput<'_>, names: &str) -> String {
    let mut text = format!("{}\n{}\n\n", signed.method, signed.path);
    for (name, value) in signed.headers {
        text.push_str(name);
        text.push(':');
        text.push_str(value.trim());
        text.push('\n');
    }
    text.push('\n');
    text.push_str(names);
    text.push('\n');
    text.push_str(signed.payload);
    text
}

fn hmac(key: &[u8], text: &str) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes()).as_ref().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        if write!(text, "{byte:02x}").is_err() {
            debug_assert!(false, "writing into a string cannot fail");
        }
    }
    text
}
