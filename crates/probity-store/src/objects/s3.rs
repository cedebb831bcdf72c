//! Objects in a bucket that is reached by the S3 API.
//!
//! Puts and gets alone, both safe to repeat, so both are retried a few times when the storage is down or
//! overloaded. A refusal is never retried.

use std::time::Duration;

use bytes::Bytes;
use probity_research::error::{Code, CodedError};
use reqwest::{
    Client, Method, Url,
    header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue},
};

use super::{
    http::{self, ObjectResponse},
    keys::ObjectKeys,
    location::Bucket,
    signature::{self, SignatureInput},
};
use crate::Clocks;

/// Tries in all. More are up to the caller, who waits minutes for a store that is down.
const TRIES_MAX: u32 = 3;
/// Pause before the second try; the third waits four times as long. Half of it is random.
const PAUSE: Duration = Duration::from_millis(200);
/// Statuses of gateways and overloaded servers; each may have done the work or not.
const TRY_AGAIN: [u16; 6] = [408, 429, 500, 502, 503, 504];

#[derive(Debug, Clone)]
pub struct S3 {
    client: Client,
    bucket: Bucket,
    keys: ObjectKeys,
    clocks: Clocks,
}

impl S3 {
    pub(super) fn new(bucket: Bucket, keys: ObjectKeys, clocks: Clocks) -> Result<Self, CodedError> {
        let client = http::client(bucket.is_loopback())?;
        Ok(Self { client, bucket, keys, clocks })
    }

    pub(super) async fn put(&self, key: &str, bytes: Bytes) -> Result<(), CodedError> {
        match self.send_with_retries(Method::PUT, key, Some(bytes)).await? {
            ObjectResponse::Whole(_) => Ok(()),
            ObjectResponse::Refused { status, reason } => Err(refused(status, &reason)),
        }
    }

    pub(super) async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, CodedError> {
        match self.send_with_retries(Method::GET, key, None).await? {
            ObjectResponse::Whole(bytes) => Ok(Some(bytes)),
            // A bucket that is not there is a wrong setting and must not look like lost objects.
            ObjectResponse::Refused { status: 404, reason } if reason != "NoSuchBucket" => Ok(None),
            ObjectResponse::Refused { status, reason } => Err(refused(status, &reason)),
        }
    }

    async fn send_with_retries(
        &self,
        method: Method,
        key: &str,
        body: Option<Bytes>,
    ) -> Result<ObjectResponse, CodedError> {
        // Hashed once: the tries differ in their date alone.
        let payload = signature::sha256_hex(body.as_deref().unwrap_or_default());
        let mut number = 1;
        loop {
            let (url, headers) = self.sign_request(&method, key, &payload)?;
            let came = http::send(&self.client, method.clone(), url, headers, body.clone()).await;
            let again = match &came {
                Ok(ObjectResponse::Whole(_)) => false,
                Ok(ObjectResponse::Refused { status, .. }) => TRY_AGAIN.contains(status),
                Err(problem) => problem.code == Code::StoreFailed,
            };
            if !again || number >= TRIES_MAX {
                return came;
            }
            tokio::time::sleep(pause(number)).await;
            number += 1;
        }
    }

    fn sign_request(
        &self,
        method: &Method,
        key: &str,
        payload: &str,
    ) -> Result<(Url, HeaderMap), CodedError> {
        let url = self.bucket.root.join(key).map_err(|_| unusable())?;
        let stamp = signature::stamp((self.clocks.wall)());
        let host = self.bucket.host();
        let mut named =
            vec![("host", host.as_str()), ("x-amz-content-sha256", payload), ("x-amz-date", stamp.as_str())];
        named.extend(self.keys.session().map(|token| ("x-amz-security-token", token)));
        let region = &self.bucket.region;
        let signed = SignatureInput {
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

fn hidden(text: &str) -> Result<HeaderValue, CodedError> {
    let mut value = HeaderValue::from_str(text).map_err(|_| unusable())?;
    value.set_sensitive(true);
    Ok(value)
}

/// Grows, and half of it is random so that workers do not retry together.
fn pause(number: u32) -> Duration {
    let whole = PAUSE * 4_u32.pow(number.saturating_sub(1));
    let random = getrandom::u32().unwrap_or(u32::MAX / 2);
    whole / 2 + (whole / 2).mul_f64(f64::from(random) / f64::from(u32::MAX))
}

/// Retried like a disk that is down: the operator corrects the key, and no paid report is lost.
fn refused(status: u16, reason: &str) -> CodedError {
    let message = format!("the object storage refuses with {status} {reason}");
    CodedError::new(Code::StoreFailed, message.trim_end()).with_status(status)
}

fn unusable() -> CodedError {
    CodedError::new(Code::Settings, "the request to the object storage has an unusable address or header")
}
