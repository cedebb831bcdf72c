//! `research://{id}/…`: which part of which research an address means.

use probity_research::ResearchId;

const SCHEME: &str = "research://";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Report { cursor: Option<String> },
    Sources,
    Evidence,
    Round(u32),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    pub id: ResearchId,
    pub part: Part,
}

impl Address {
    pub fn parse(uri: &str) -> Option<Self> {
        let (id, path) = uri.strip_prefix(SCHEME)?.split_once('/')?;
        let part = match path.split_once('/') {
            None => match path {
                "report" => Part::Report { cursor: None },
                "sources" => Part::Sources,
                "evidence" => Part::Evidence,
                _ => return None,
            },
            Some(("report", cursor)) if !cursor.contains('/') => {
                Part::Report { cursor: Some(cursor.to_owned()) }
            }
            Some(("rounds", number)) => Part::Round(number.parse().ok()?),
            Some(_) => return None,
        };
        Some(Self { id: id.parse().ok()?, part })
    }
}

/// The address of a part that every research has.
pub fn of(id: ResearchId, part: &str) -> String {
    format!("{SCHEME}{id}/{part}")
}

#[cfg(test)]
mod tests {
    use probity_research::ResearchId;

    use super::{Address, Part};

    #[track_caller]
    fn check(path: &str, expected: Option<Part>) {
        let id = ResearchId::from_random(7);
        let found = Address::parse(&format!("research://{id}/{path}"));
        assert_eq!(found, expected.map(|part| Address { id, part }));
    }

    #[test]
    fn every_part_has_its_address() {
        check("report", Some(Part::Report { cursor: None }));
        check("report/at-12", Some(Part::Report { cursor: Some("at-12".to_owned()) }));
        check("sources", Some(Part::Sources));
        check("evidence", Some(Part::Evidence));
        check("rounds/2", Some(Part::Round(2)));
    }

    #[test]
    fn anything_else_is_nothing() {
        for path in ["", "Report", "report/a/b", "rounds", "rounds/", "rounds/-1", "../x", "rounds/x", "raw"]
        {
            check(path, None);
        }
        assert_eq!(Address::parse("research://nonsense/report"), None);
        assert_eq!(Address::parse("file:///etc/passwd"), None);
    }
}
