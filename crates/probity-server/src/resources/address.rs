//! `research://{id}/…`: which part of which run an address means.

use probity_research::RunId;

const SCHEME: &str = "research://";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourcePart {
    Report { cursor: Option<String> },
    Sources,
    Evidence,
    Round(u32),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceAddress {
    pub id: RunId,
    pub part: ResourcePart,
}

impl ResourceAddress {
    pub fn parse(uri: &str) -> Option<Self> {
        let (id, path) = uri.strip_prefix(SCHEME)?.split_once('/')?;
        let part = match path.split_once('/') {
            None => match path {
                "report" => ResourcePart::Report { cursor: None },
                "sources" => ResourcePart::Sources,
                "evidence" => ResourcePart::Evidence,
                _ => return None,
            },
            Some(("report", cursor)) if !cursor.contains('/') => {
                ResourcePart::Report { cursor: Some(cursor.to_owned()) }
            }
            Some(("rounds", number)) => ResourcePart::Round(number.parse().ok()?),
            Some(_) => return None,
        };
        Some(Self { id: id.parse().ok()?, part })
    }
}

/// The address of a part that every run has.
pub fn resource_uri(id: RunId, part: &str) -> String {
    format!("{SCHEME}{id}/{part}")
}

#[cfg(test)]
mod tests {
    use probity_research::RunId;

    use super::{ResourceAddress, ResourcePart};

    #[track_caller]
    fn check(path: &str, expected: Option<ResourcePart>) {
        let id = RunId::from_random(7);
        let found = ResourceAddress::parse(&format!("research://{id}/{path}"));
        assert_eq!(found, expected.map(|part| ResourceAddress { id, part }));
    }

    #[test]
    fn every_part_has_its_address() {
        check("report", Some(ResourcePart::Report { cursor: None }));
        check("report/at-12", Some(ResourcePart::Report { cursor: Some("at-12".to_owned()) }));
        check("sources", Some(ResourcePart::Sources));
        check("evidence", Some(ResourcePart::Evidence));
        check("rounds/2", Some(ResourcePart::Round(2)));
    }

    #[test]
    fn anything_else_is_nothing() {
        for path in ["", "Report", "report/a/b", "rounds", "rounds/", "rounds/-1", "../x", "rounds/x", "raw"]
        {
            check(path, None);
        }
        assert_eq!(ResourceAddress::parse("research://nonsense/report"), None);
        assert_eq!(ResourceAddress::parse("file:///etc/passwd"), None);
    }
}
