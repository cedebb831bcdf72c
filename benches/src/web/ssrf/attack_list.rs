//! The list of attacks, as the fetcher's crate keeps it.

use anyhow::Context as _;

use crate::rig;

#[derive(Debug, Default)]
pub(super) struct AttackList {
    pub urls: Vec<String>,
    pub locations: Vec<String>,
    /// Names that must be refused whenever they are asked for.
    pub names: Vec<AttackName>,
    /// Names whose first answer is harmless.
    pub rebinds: Vec<AttackName>,
    /// Names whose first two answers are harmless: for the robots.txt and for the page that redirects to itself.
    pub hops: Vec<AttackName>,
}

#[derive(Debug, Clone)]
pub(super) struct AttackName {
    pub name: String,
    /// Successive answers; the last one repeats.
    pub answers: Vec<Vec<std::net::IpAddr>>,
}

impl AttackList {
    pub(super) fn load() -> anyhow::Result<Self> {
        let path = rig::repository().join("crates/probity-web/data/ssrf.tsv");
        let text = std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        let mut list = Self::default();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let fields: Vec<String> = line.split('\t').map(plain).collect();
            match fields.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
                ["url", url] => list.urls.push((*url).to_owned()),
                ["location", location] => list.locations.push((*location).to_owned()),
                ["dns", name, answers] => list.names.push(AttackName::parse(name, answers)?),
                ["rebind", name, answers] => list.rebinds.push(AttackName::parse(name, answers)?),
                ["hop", name, answers] => list.hops.push(AttackName::parse(name, answers)?),
                _ => anyhow::bail!("a line of the list cannot be read: {line}"),
            }
        }
        Ok(list)
    }
}

impl AttackName {
    fn parse(name: &str, answers: &str) -> anyhow::Result<Self> {
        let answer = |text: &str| text.split(',').map(str::parse).collect::<Result<Vec<_>, _>>();
        let answers = answers.split(';').map(answer).collect::<Result<_, _>>();
        Ok(Self {
            name: name.to_owned(),
            answers: answers.with_context(|| format!("the answers for {name}"))?,
        })
    }
}

/// A field with its escapes resolved.
fn plain(field: &str) -> String {
    let mut text = String::new();
    let mut characters = field.chars();
    while let Some(character) = characters.next() {
        let escaped = if character == '\\' { characters.next() } else { None };
        text.push(match escaped {
            Some('t') => '\t',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('0') => '\0',
            Some(other) => other,
            None => character,
        });
    }
    text
}
