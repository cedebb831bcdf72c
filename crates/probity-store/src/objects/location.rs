//! Where objects are, as written in the settings. Touches nothing.

use std::path::PathBuf;

use probity_research::error::{Code, CodedError};
use url::{Host, Url};

/// The region that storage without regions expects.
const REGION_DEFAULT: &str = "us-east-1";

#[derive(Debug, PartialEq, Eq)]
pub enum ObjectLocation {
    Directory(PathBuf),
    Bucket(Bucket),
}

/// One bucket: the address of its root, and what signatures need to know of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    /// Ends with a slash; object keys follow it.
    pub root: Url,
    pub region: String,
}

impl Bucket {
    /// The `Host` header as the client sends it.
    pub fn host(&self) -> String {
        let host = self.root.host_str().unwrap_or_default();
        match self.root.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    pub fn is_loopback(&self) -> bool {
        is_loopback(&self.root)
    }
}

pub fn parse(text: &str) -> Result<ObjectLocation, CodedError> {
    if let Some(path) = text.strip_prefix("dir:") {
        let path = PathBuf::from(path);
        return match path.is_absolute() {
            true => Ok(ObjectLocation::Directory(path)),
            false => Err(refused("`dir:` needs a full path, such as `dir:/srv/probity/objects`")),
        };
    }
    match text.strip_prefix("s3:") {
        Some(address) => bucket(address).map(ObjectLocation::Bucket),
        None => Err(refused("it is `dir:/path` or `s3:https://host/bucket?region=…`")),
    }
}

fn bucket(address: &str) -> Result<Bucket, CodedError> {
    let url = Url::parse(address).map_err(|_| refused("what follows `s3:` is not an address"))?;
    if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
        return Err(refused("keys come from the environment, never from the address"));
    }
    let options = LocationOptions::read(&url)?;
    match (url.scheme(), options.clear_text || is_loopback(&url)) {
        ("https", _) | ("http", true) => {}
        ("http", false) => return Err(refused("`http` to another machine needs `clear_text=true`")),
        _ => return Err(refused("the address must be https")),
    }
    let name = url.path().trim_matches('/').to_owned();
    if !is_bucket(&name) {
        return Err(refused("the address must end with the name of a bucket, and with nothing behind it"));
    }
    Ok(Bucket { root: root(url, &name, &options)?, region: options.region })
}

fn root(mut url: Url, name: &str, options: &LocationOptions) -> Result<Url, CodedError> {
    url.set_query(None);
    if options.path_style {
        url.set_path(&format!("/{name}/"));
        return Ok(url);
    }
    let Some(Host::Domain(host)) = url.host() else {
        return Err(refused("`path_style=false` needs a host with a name"));
    };
    let host = format!("{name}.{host}");
    url.set_host(Some(&host)).map_err(|_| refused("the name of the bucket does not fit into a host name"))?;
    url.set_path("/");
    Ok(url)
}

struct LocationOptions {
    region: String,
    path_style: bool,
    clear_text: bool,
}

impl LocationOptions {
    fn read(url: &Url) -> Result<Self, CodedError> {
        let mut options = Self { region: REGION_DEFAULT.to_owned(), path_style: true, clear_text: false };
        for (name, value) in url.query_pairs() {
            match (name.as_ref(), value.as_ref()) {
                ("region", region) if is_region(region) => options.region = region.to_owned(),
                ("path_style", "true" | "false") => options.path_style = value == "true",
                ("clear_text", "true" | "false") => options.clear_text = value == "true",
                ("region" | "path_style" | "clear_text", _) => {
                    return Err(refused(&format!("`{name}` has a value that it cannot have")));
                }
                _ => {
                    return Err(refused("only `region`, `path_style` and `clear_text` are known behind `?`"));
                }
            }
        }
        Ok(options)
    }
}

/// The names that need no escaping in a path or a host.
fn is_bucket(name: &str) -> bool {
    let characters = name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.'));
    let edges = !name.starts_with(['-', '.']) && !name.ends_with(['-', '.']) && !name.contains("..");
    characters && edges && (3..=63).contains(&name.len())
}

fn is_region(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 64
        && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn refused(why: &str) -> CodedError {
    CodedError::new(Code::Settings, &format!("`fleet.objects` cannot be used: {why}"))
}
