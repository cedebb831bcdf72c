//! Objects in a bucket that is reached by the S3 API.
//!
//! Puts and gets alone, both safe to repeat, so both are tried again a few times when the storage is away or
//! overloaded. A refusal is never tried again.

use std::time::Duration;

use bytes::Bytes;
use probity_research::error::{Code, Problem};
use reqwest::{
    Client, Method, Url,
    header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue},
};

use super::{
    http::{self, Came},
    keys::ObjectKeys,
    place::Bucket,
    signature::{self, Signed},
};
use crate::Clocks;

/// Tries in all. More are the caller's business, who waits minutes for a store that is away.
const TRIES_MAX: u32 = 3;
/// Pause before the second try; the third waits four times as long. Half of it is random.
const PAUSE: Duration = Duration::from_millis(200);
/// What gateways and overloaded servers say; each may have done the work or not.
const TRY_AGAIN: [u16; 6] = [408, 429, 500, 502, 503, 504];

#[derive(Debug, Clone)]
pub struct S3 {
    client: Client,
    bucket: Bucket,
    keys: ObjectKeys,
    clocks: Clocks,
}

impl S3 {
    pub(super) fn new(bucket: Bucket, keys: ObjectKeys, clocks: Clocks) -> Result<Self, Problem> {
        let client = http::client(bucket.is_loopback())?;
        Ok(Self { client, bucket, keys, clocks })
    }

    pub(super) async fn put(&self, key: &str, bytes: Bytes) -> Result<(), Problem> {
        match self.tried(Method::PUT, key, Some(bytes)).await? {
            Came::Whole(_) => Ok(()),
            Came::Refused { status, reason } => Err(refused(status, &reason)),
        }
    }

    pub(super) async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Problem> {
        match self.tried(Method::GET, key, None).await? {
            Came::Whole(bytes) => Ok(Some(bytes)),
            // A bucket that is not there is a wrong setting and must not look like lost objects.
            Came::Refused { status: 404, reason } if reason != "NoSuchBucket" => Ok(None),
            Came::Refused { status, reason } => Err(refused(status, &reason)),
        }
    }

    async fn tried(&self, method: Method, key: &str, body: Option<Bytes>) -> Result<Came, Problem> {
        // Hashed once: the tries differ in their date alone.
        let payload = signature::sha256_hex(body.as_deref().unwrap_or_default());
        let mut number = 1;
        loop {
            let (url, headers) = self.signed(&method, key, &payload)?;
            let came = http::send(&self.client, method.clone(), url, headers, body.clone()).await;
            let again = match &came {
                Ok(Came::Whole(_)) => false,
                Ok(Came::Refused { status, .. }) => TRY_AGAIN.contains(status),
                Err(problem) => problem.code == Code::StoreFailed,
            };
            if !again || number >= TRIES_MAX {
                return came;
            }
            tokio::time::sleep(pause(number)).await;
            number += 1;
        }
    }

    fn signed(&self, method: &Method, key: &str, payload: &str) -> Result<(Url, HeaderMap), Problem> {
        let url = self.bucket.root.join(key).map_err(|_| unusable())?;
        let stamp = signature::stamp((self.clocks.wall)());
        let host = self.bucket.host();
        let mut named =
            vec![("host", host.as_str()), ("x-amz-content-sha256", payload), ("x-amz-date", stamp.as_str())];
        named.extend(self.keys.session().map(|token| ("x-amz-security-token", token)));
        let region = &self.bucket.region;
        let signed = Signed {
            method: method.as_str(),
            path: url.path(),
            region,
            headers: &named,
            payload,
            stamp: &stamp,
        };
        let authorization = signature::authorization(&signed, &self.keys);
        let mut headers = HeaderMap::new();
        // The client writes `host` itself, from the same address.
        for (name, text) in named.iter().filter(|(name, _)| *name != "host") {
            headers.insert(HeaderName::from_static(name), hidden(text)?);
        }
        headers.insert(AUTHORIZATION, hidden(&authorization)?);
        Ok((url, headers))
    }
}

fn hidden(text: &str) -> Result<HeaderValue, Problem> {
    let mut value = HeaderValue::from_str(text).map_err(|_| unusable())?;
    value.set_sensitive(true);
    Ok(value)
}

/// Grows, and half of it is random so that workers do not come back together.
fn pause(number: u32) -> Duration {
    let whole = PAUSE * 4_u32.pow(number.saturating_sub(1));
    let random = getrandom::u32().unwrap_or(u32::MAX / 2);
    whole / 2 + (whole / 2).mul_f64(f64::from(random) / f64::from(u32::MAX))
}

/// Waited out like a disk that is away: whoever runs the fleet corrects the key, and no paid report is lost.
fn refused(status: u16, reason: &str) -> Problem {
    let message = format!("the object storage refuses with {status} {reason}");
    Problem::new(Code::StoreFailed, message.trim_end()).with_status(status)
}

fn unusable() -> Problem {
    Problem::new(Code::Settings, "the request to the object storage has an unusable address or header")
}
