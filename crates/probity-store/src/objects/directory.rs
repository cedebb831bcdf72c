//! Objects as files below one directory, which may be shared by many machines.

use std::path::{Path, PathBuf};

use probity_research::error::{Code, CodedError};
use tokio::task;

use super::OBJECT_BYTES_MAX;
use crate::{error::Error, files};

pub async fn put(root: PathBuf, key: String, bytes: Vec<u8>) -> Result<(), CodedError> {
    on_disk(root, move |root| write(root, &root.join(key), &bytes)).await
}

pub async fn get(root: PathBuf, key: String) -> Result<Option<Vec<u8>>, CodedError> {
    on_disk(root, move |root| {
        let path = root.join(key);
        match files::length(&path) {
            Some(length) if length > OBJECT_BYTES_MAX as u64 => {
                Err(Error::Damaged(format!("`{}` is larger than any object", path.display())))
            }
            _ => files::read(&path),
        }
    })
    .await
}

fn write(root: &Path, target: &Path, bytes: &[u8]) -> Result<(), Error> {
    if files::length(target) == Some(bytes.len() as u64) {
        // The process that wrote it may not have synced the directory yet.
        return files::sync_directory_of(target);
    }
    let folder = target.parent().unwrap_or(root);
    let unfinished = root.join("unfinished");
    for directory in [folder, &unfinished] {
        if files::length(directory).is_none() {
            files::make_directory(directory)?;
            files::sync_directory_of(directory)?;
        }
    }
    // Random, because other machines write here too and none of them knows the others' counters.
    let number = getrandom::u64()
        .map_err(|_| Error::Refused(CodedError::new(Code::StoreFailed, "there is no randomness")))?;
    files::write_whole(target, &unfinished.join(format!("{number:016x}")), bytes)
}

/// File systems block, network ones for long.
async fn on_disk<T: Send + 'static>(
    root: PathBuf,
    work: impl FnOnce(&Path) -> Result<T, Error> + Send + 'static,
) -> Result<T, CodedError> {
    let done = task::spawn_blocking(move || work(&root).map_err(|error| error.problem(&root, 0)));
    done.await
        .map_err(|_| CodedError::new(Code::StoreFailed, "reading or writing an object was cut short"))?
}
