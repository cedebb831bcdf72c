//! What the scripted model can find out about a topic: facts, the pages that state them, the queries that
//! lead there. Everything follows from the topic, so that both faces of the model find the same.

use crate::world::{fingerprint, interaction::mix};

/// Pages the searches find. The first is also read.
pub(crate) const PAGES: u32 = 2;
/// What every page address begins with; the topic follows.
pub(crate) const PAGES_AT: &str = "https://pages.example/";
/// Facts of one topic.
pub(crate) const FACTS: usize = 3;

/// One sentence of the report and the page it is cited from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fact {
    pub(crate) sentence: String,
    pub(crate) page: u32,
}

/// Whether the numbers are those of the pages, or one of them has been altered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    AsFound,
    OneChanged,
}

pub(crate) fn page_url(topic: &str, page: u32) -> String {
    format!("{PAGES_AT}{topic}/{page}")
}

pub(crate) fn page_title(topic: &str, page: u32) -> String {
    format!("{topic}, page {page}")
}

/// The searches of a turn. Later turns ask again, in other words.
pub(crate) fn queries(topic: &str, turn: u32) -> [String; 2] {
    let again = if turn > 1 { format!(" verification {turn}") } else { String::new() };
    [format!("{topic} first deployment{again}"), format!("{topic} second generation{again}")]
}

/// The topic of the first page address in a text.
pub(crate) fn topic_in(text: &str) -> Option<&str> {
    let (_, after) = text.split_once(PAGES_AT)?;
    let (topic, _) = after.split_once('/')?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (!topic.is_empty() && topic.bytes().all(plain)).then_some(topic)
}

/// The second sentence is not ASCII: offsets in bytes and in letters differ behind it.
pub(crate) fn facts(topic: &str, numbers: Numbers) -> [Fact; FACTS] {
    let noise = mix(fingerprint(&[Some(topic)]));
    let changed = u64::from(numbers == Numbers::OneChanged);
    let year = 2_001 + noise % 20;
    let units = 1_000 + (noise >> 8) % 9_000 + changed;
    let later = 10_000 + (noise >> 24) % 90_000;
    let percent = 10 + (noise >> 44) % 80;
    [
        Fact {
            sentence: format!("The first deployment of {topic} was in {year} with {units} units"),
            page: 1,
        },
        Fact { sentence: format!("In Zürich the second generation reached {later} units"), page: 2 },
        Fact {
            sentence: format!("Independent tests of {topic} measured {percent} percent lower energy use"),
            page: 1,
        },
    ]
}

/// Which facts a text holds, however its lines are broken.
pub(crate) fn facts_in(topic: &str, text: &str) -> [bool; FACTS] {
    let squeezed = squeeze(text);
    facts(topic, Numbers::AsFound).map(|fact| squeezed.contains(&squeeze(&fact.sentence)))
}

fn squeeze(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).collect()
}
