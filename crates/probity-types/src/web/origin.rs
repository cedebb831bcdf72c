//! Where a page came from, as far as its record tells: what a reader of a bundle must know before trusting it.
//!
//! A record is the word of whoever fetched. It shows an honest maker's overrides; a forger writes another record.

use std::net::SocketAddr;

use super::{
    address::is_public,
    page::{PageRecord, Provenance},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PageOrigin {
    /// By https from an address of the open web: its host proved its name to whoever fetched.
    Web,
    /// From an address of the open web without https: anyone on the way could have changed it.
    PlainWeb,
    /// Through a proxy: which address it reached is not known.
    Proxy,
    /// Returned by a page service: what it reached, and what it changed, is its word.
    Service,
    /// No address was recorded.
    NotRecorded,
    /// From this machine or a private network.
    Private,
    /// From an address that the user's `web.reach` named instead of the host's own.
    Overridden,
    /// A file of the user's own.
    OwnFile,
}

impl PageOrigin {
    pub fn of(record: &PageRecord) -> Self {
        let fetched = match &record.provenance {
            Provenance::LocalFile => return Self::OwnFile,
            _ if record.overridden => return Self::Overridden,
            Provenance::Proxy => return Self::Proxy,
            Provenance::Service(_) => return Self::Service,
            Provenance::Archive(copy) => copy,
            Provenance::Direct | Provenance::Rendered => &record.final_url,
        };
        let address = record.address.as_deref().and_then(|address| address.parse::<SocketAddr>().ok());
        match address {
            None => Self::NotRecorded,
            Some(address) if !is_public(address.ip()) => Self::Private,
            Some(_) if fetched.starts_with("https://") => Self::Web,
            Some(_) => Self::PlainWeb,
        }
    }

    /// Whether nobody else can see what was seen there.
    pub fn is_private(self) -> bool {
        match self {
            Self::Private | Self::Overridden => true,
            Self::Web | Self::PlainWeb | Self::Proxy | Self::Service | Self::NotRecorded | Self::OwnFile => {
                false
            }
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Web => "web",
            Self::PlainWeb => "web-without-tls",
            Self::Proxy => "proxy",
            Self::Service => "page-service",
            Self::NotRecorded => "not-recorded",
            Self::Private => "private-address",
            Self::Overridden => "overridden-address",
            Self::OwnFile => "own-file",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PageOrigin;
    use crate::{
        time::Moment,
        web::page::{MediaKind, PageRecord, Provenance},
    };

    fn record(url: &str, address: Option<&str>) -> PageRecord {
        PageRecord {
            asked_url: url.to_owned(),
            final_url: url.to_owned(),
            redirects: Vec::new(),
            address: address.map(str::to_owned),
            fetched_at: Moment(0),
            status: 200,
            headers: Vec::new(),
            media: MediaKind::Html,
            bytes: 0,
            provenance: Provenance::Direct,
            revalidated: false,
            overridden: false,
        }
    }

    #[track_caller]
    fn check(url: &str, address: Option<&str>, expected: &str) {
        assert_eq!(PageOrigin::of(&record(url, address)).as_str(), expected, "{url} {address:?}");
    }

    #[test]
    fn an_origin_is_what_the_record_says() {
        check("https://www.example.org/", Some("93.184.216.34:443"), "web");
        check("https://www.example.org/", Some("[2606:2800:21f::1]:443"), "web");
        check("http://www.example.org/", Some("93.184.216.34:80"), "web-without-tls");
        check("http://www.example.org/", Some("127.0.0.1:47010"), "private-address");
        check("https://www.example.org/", Some("10.1.2.3:443"), "private-address");
        check("https://www.example.org/", Some("[::ffff:192.168.0.1]:443"), "private-address");
        check("https://www.example.org/", Some("nonsense"), "not-recorded");
        check("https://www.example.org/", None, "not-recorded");
        let overridden =
            PageRecord { overridden: true, ..record("https://a.example/", Some("93.184.216.34:443")) };
        assert_eq!(PageOrigin::of(&overridden), PageOrigin::Overridden);
        let service = Provenance::Service("firecrawl".to_owned());
        let returned = PageRecord { provenance: service, ..record("https://a.example/", None) };
        assert_eq!(PageOrigin::of(&returned).as_str(), "page-service");
        let copy = Provenance::Archive("http://web.archive.example/1/http://a.example/".to_owned());
        let archived =
            PageRecord { provenance: copy, ..record("https://a.example/", Some("93.184.216.34:80")) };
        assert_eq!(PageOrigin::of(&archived), PageOrigin::PlainWeb);
    }
}
