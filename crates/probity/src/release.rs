//! Releases of this program: what this build is, which release is offered and by whom it is signed, who installed the
//! program, and its replacement.
//!
//! A release is trusted for one reason: its list of sums is signed with the key that is built in, or that the user names.

pub mod files;
pub mod owner;
pub mod program;
pub mod signed;

/// The version alone.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Version, commit with its date, and target.
pub const BUILD: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    " (",
    env!("PROBITY_BUILD_SOURCE"),
    ", ",
    env!("PROBITY_BUILD_TARGET"),
    ")"
);
/// The platform this program was built for, as archives name it.
pub const TARGET: &str = env!("PROBITY_BUILD_TARGET");
/// The minisign key that releases are signed with; empty where nobody has published one.
pub const KEY: &str = env!("PROBITY_RELEASE_KEY");
/// Where the newest release lies.
const LATEST: &str = env!("PROBITY_RELEASE_LATEST");
/// Where a certain release lies, with `{version}` in it.
const DOWNLOADS: &str = env!("PROBITY_RELEASE_DOWNLOADS");
/// A name that never resolves: the address was not written yet.
const RESERVED: &str = ".example/";

/// Where a release is looked for; `None` if this build names no address.
pub fn address(version: Option<&str>) -> Option<String> {
    let address = match version {
        Some(version) => DOWNLOADS.replace("{version}", version),
        None => LATEST.to_owned(),
    };
    (!address.is_empty() && !format!("{address}/").contains(RESERVED)).then_some(address)
}

/// The name of the folder inside an archive, and of the archive without its ending.
pub fn archive_stem(version: &str) -> String {
    format!("probity-{version}-{TARGET}")
}
