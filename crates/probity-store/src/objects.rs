//! Large bytes under their digest, where every worker of a fleet can reach them: a shared directory,
//! or storage that speaks S3.
//!
//! Putting is idempotent, getting checks the digest. Never lists and never deletes: the operator of the
//! storage decides how long it keeps things.

mod directory;
mod http;
mod keys;
mod location;
mod s3;
mod signature;

use std::path::PathBuf;

use probity_research::{
    error::{Code, CodedError},
    id::Digest,
};

pub use self::{keys::ObjectKeys, s3::S3};
use crate::{Clocks, events};

/// Largest object taken or read. The largest kept page has 32 MiB; twice that is damage or a mistake.
pub const OBJECT_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Where large bytes go. Cheap to clone.
#[derive(Debug, Clone)]
pub enum ObjectStorage {
    /// A directory that all workers and front ends see, such as a network file system.
    Directory(PathBuf),
    S3(S3),
    /// Nowhere: a blob that does not fit into a row is refused.
    None,
}

impl ObjectStorage {
    /// Reads `dir:/path` or `s3:https://host[:port]/bucket?region=…&path_style=…`. The keys are for S3, which
    /// also needs the time of day: its signatures are dated.
    pub fn parse(text: &str, keys: Option<ObjectKeys>, clocks: Clocks) -> Result<Self, CodedError> {
        match location::parse(text)? {
            location::ObjectLocation::Directory(path) => Ok(Self::Directory(path)),
            location::ObjectLocation::Bucket(bucket) => {
                let missing = "object storage by S3 needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
                let keys = keys.ok_or_else(|| CodedError::new(Code::Settings, missing))?;
                Ok(Self::S3(S3::new(bucket, keys, clocks)?))
            }
        }
    }

    /// The bytes are durable under `digest` when this returns. Safe to repeat.
    pub async fn put(&self, digest: Digest, bytes: Vec<u8>) -> Result<(), CodedError> {
        if bytes.len() > OBJECT_BYTES_MAX {
            let message =
                format!("{} bytes are more than an object may have ({OBJECT_BYTES_MAX})", bytes.len());
            return Err(CodedError::new(Code::StoreFailed, &message));
        }
        match self {
            Self::Directory(root) => directory::put(root.clone(), key(digest), bytes).await,
            Self::S3(storage) => storage.put(&key(digest), bytes.into()).await,
            Self::None => Err(nowhere()),
        }
    }

    /// The bytes with this digest, or `None` where nothing was put. Bytes that are not what was put are an error.
    pub async fn get(&self, digest: Digest) -> Result<Option<Vec<u8>>, CodedError> {
        let found = match self {
            Self::Directory(root) => directory::get(root.clone(), key(digest)).await?,
            Self::S3(storage) => storage.get(&key(digest)).await?,
            Self::None => return Err(nowhere()),
        };
        match found {
            Some(bytes) if events::digest(&bytes) != digest => {
                let message = format!("the object {} has other bytes than were put", key(digest));
                Err(CodedError::new(Code::StoreCorrupt, &message))
            }
            found => Ok(found),
        }
    }

    /// Whether the storage can be written and read: puts a small object and gets it back.
    pub async fn check(&self) -> Result<(), CodedError> {
        if matches!(self, Self::None) {
            return Ok(());
        }
        let probe = b"probity can write and read here".to_vec();
        let digest = events::digest(&probe);
        self.put(digest, probe).await?;
        match self.get(digest).await? {
            Some(_) => Ok(()),
            None => Err(CodedError::new(Code::StoreFailed, "an object that was just put is not there")),
        }
    }
}

/// `blobs/ab/cdef…`: the digest in hex, split so that no directory grows without bound.
fn key(digest: Digest) -> String {
    let name = digest.to_string();
    let (folder, rest) = name.split_at_checked(2).unwrap_or(("", &name));
    format!("blobs/{folder}/{rest}")
}

fn nowhere() -> CodedError {
    CodedError::new(Code::Settings, "there is no object storage: set `fleet.objects`")
}

#[cfg(test)]
mod tests;
