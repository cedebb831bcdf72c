//! Why a settings file is not changed.

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("the file has {bytes} bytes, more than the {} that are read", crate::FILE_BYTES_MAX)]
    TooLarge { bytes: usize },
    #[error("the file is not valid {format}: {why}")]
    NotReadable { format: &'static str, why: String },
    #[error("the file is nested too deeply")]
    TooNested,
    #[error("`{key}` stands in the file twice, and clients differ in which one counts")]
    Twice { key: String },
    #[error("`{key}` in the file is not {expected}")]
    Shape { key: String, expected: &'static str },
    #[error("the file has an entry named `probity` that is not ours: it {starts}")]
    Foreign { starts: String },
    #[error("the file is written in a way that is not edited here: {why}")]
    Edit { why: String },
}
