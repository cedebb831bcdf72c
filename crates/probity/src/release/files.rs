//! Fetches the files of a release: from a folder, or by https through the guarded fetcher. Trusts none of them.

use std::{
    io::Read as _,
    path::{Path, PathBuf},
    time::Duration,
};

use probity_research::{Code, CodedError};
use probity_web::fetch::{ApiRequest, Fetcher};
use url::Url;

/// An archive has some ten megabytes.
const FILE_BYTES_MAX: u64 = 128 * 1024 * 1024;
/// An archive on a slow line.
const FILE_TIME_MAX: Duration = Duration::from_secs(15 * 60);
/// Where releases lie sends on to where files lie; more hops than this are a loop.
const REDIRECTS_MAX: usize = 5;

/// Where the files of one release lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReleasePlace {
    Folder(PathBuf),
    Address(String),
}

impl ReleasePlace {
    pub fn parse(text: &str) -> Self {
        match text.strip_prefix("file://") {
            Some(path) => Self::Folder(PathBuf::from(path)),
            None if text.contains("://") => Self::Address(text.trim_end_matches('/').to_owned()),
            None => Self::Folder(PathBuf::from(text)),
        }
    }

    pub fn words(&self) -> String {
        match self {
            Self::Folder(folder) => folder.display().to_string(),
            Self::Address(address) => address.clone(),
        }
    }

    pub async fn file(&self, fetcher: &Fetcher, name: &str) -> Result<Vec<u8>, CodedError> {
        match self {
            Self::Folder(folder) => read(&folder.join(name)),
            Self::Address(address) => download(fetcher, &format!("{address}/{name}")).await,
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, CodedError> {
    let mut bytes = Vec::new();
    let read =
        std::fs::File::open(path).and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes));
    read.map_err(|error| unread(&path.display().to_string(), &error.to_string()))?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(unread(&path.display().to_string(), "it is larger than any release"));
    }
    Ok(bytes)
}

async fn download(fetcher: &Fetcher, address: &str) -> Result<Vec<u8>, CodedError> {
    let mut address = address.to_owned();
    for _ in 0..REDIRECTS_MAX {
        let request = ApiRequest {
            answer_bytes_max: FILE_BYTES_MAX,
            ..ApiRequest::get(&address).with_time_max(FILE_TIME_MAX)
        };
        let answer = fetcher.call(request).await.map_err(|failure| failure.problem)?;
        match answer.status {
            200 => return Ok(answer.body.to_vec()),
            301 | 302 | 303 | 307 | 308 => {
                let next =
                    answer.header("location").and_then(|next| Url::parse(&address).ok()?.join(next).ok());
                let Some(next) = next else {
                    return Err(unread(&address, "it leads to no address"));
                };
                if address.starts_with("https:") && next.scheme() != "https" {
                    return Err(unread(&address, "it leads away from https"));
                }
                address = next.into();
            }
            status => return Err(unread(&address, &format!("the answer was {status}")).with_status(status)),
        }
    }
    Err(unread(&address, "it leads on and on"))
}

fn unread(what: &str, why: &str) -> CodedError {
    CodedError::new(Code::ReleaseRefused, &format!("{what} cannot be read: {why}"))
}
