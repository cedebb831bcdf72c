//! Why a bundle is refused. Each message names the part.

use probity_research::event::DecodeError;

#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    #[error("the file ends too early: it was cut off")]
    CutOff,
    #[error("something follows the end of the archive")]
    TrailingBytes,
    #[error("`{0}` has a header or padding that a bundle never has")]
    Form(String),
    #[error("`{0}` is no name of a part of a bundle")]
    Name(String),
    #[error("`{0}` is there twice")]
    Duplicate(String),
    #[error("{what} is larger than {limit} bytes")]
    TooLarge { what: &'static str, limit: usize },
    #[error("there are more than {limit} {what}")]
    TooMany { what: &'static str, limit: usize },
    #[error("`{0}` is missing")]
    Missing(&'static str),
    #[error("`{0}` is not readable")]
    Unreadable(&'static str),
    #[error("`{0}` is not written the way a bundle writes it")]
    NotCanonical(&'static str),
    #[error("this is no bundle of Probity, or of another format: `{0}`")]
    Format(String),
    #[error("format version {found} was written by a newer Probity; this one reads up to {known}")]
    Newer { found: u32, known: u32 },
    #[error("`{0}` is not what the manifest lists there")]
    NotListed(String),
    #[error("`{0}` does not have the bytes that the manifest names: it was changed")]
    Changed(String),
    #[error("the bytes of `{0}` have another digest than its name says")]
    Misnamed(String),
    #[error("the signature does not fit the manifest: the bundle was changed after it was signed")]
    Signature,
    #[error("line {line} of the journal is not readable")]
    Journal {
        line: usize,
        #[source]
        cause: JournalLineError,
    },
    #[error("the signing key is not readable")]
    Key,
}

#[derive(Debug, thiserror::Error)]
pub enum JournalLineError {
    #[error("it is no event")]
    NotJson(#[source] serde_json::Error),
    #[error(transparent)]
    Event(#[from] DecodeError),
}
