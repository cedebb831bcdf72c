//! What the scripted model can find out about a topic: facts, the pages that state them, the queries that
//! lead there. Everything follows from the topic, so that both APIs of the model find the same.

use crate::{
    rounds::Pages,
    world::{fingerprint, interaction::mix},
};

/// Pages the searches find. The first is also read.
pub(crate) const PAGES: u32 = 2;
/// The topic of prompts that name none.
pub(crate) const TOPIC: &str = "question";
/// Facts of one topic.
pub(crate) const FACTS: usize = 3;

/// One sentence of the report and the page it is cited from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScriptedFact {
    pub(crate) sentence: String,
    pub(crate) page: u32,
}

/// Whether the numbers are those of the pages, or one of them has been altered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberFidelity {
    AsFound,
    /// By so much.
    OneChanged(u32),
}

pub(crate) fn page_url(pages: Pages, topic: &str, page: u32) -> String {
    format!("{}{topic}/{page}", pages.url_prefix())
}

pub(crate) fn page_title(topic: &str, page: u32) -> String {
    format!("{topic}, page {page}")
}

/// The searches of a turn. Later turns ask again, in other words.
pub(crate) fn queries(topic: &str, turn: u32) -> [String; 2] {
    let again = if turn > 1 { format!(" verification {turn}") } else { String::new() };
    [format!("{topic} first deployment{again}"), format!("{topic} second generation{again}")]
}

/// The topic of a query: its first word, if that may be in an address.
pub(crate) fn topic_of_query(query: &str) -> &str {
    query.split_whitespace().next().filter(|word| is_plain(word)).unwrap_or(TOPIC)
}

/// The topic of the first page address in a text.
pub(crate) fn topic_in(text: &str) -> Option<&str> {
    Pages::ALL.iter().find_map(|pages| {
        let (_, after) = text.split_once(pages.url_prefix())?;
        let (topic, _) = after.split_once('/')?;
        is_plain(topic).then_some(topic)
    })
}

fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

/// The second sentence is not ASCII: offsets in bytes and in letters differ after it.
pub(crate) fn facts(topic: &str, numbers: NumberFidelity) -> [ScriptedFact; FACTS] {
    let noise = mix(fingerprint(&[Some(topic)]));
    let changed = match numbers {
        NumberFidelity::AsFound => 0,
        NumberFidelity::OneChanged(by) => u64::from(by),
    };
    let year = 2_001 + noise % 20;
    let units = 1_000 + (noise >> 8) % 9_000 + changed;
    let later = 10_000 + (noise >> 24) % 90_000;
    let percent = 10 + (noise >> 44) % 80;
    [
        ScriptedFact {
            sentence: format!("The first deployment of {topic} was in {year} with {units} units"),
            page: 1,
        },
        ScriptedFact { sentence: format!("In Zürich the second generation reached {later} units"), page: 2 },
        ScriptedFact {
            sentence: format!("Independent tests of {topic} measured {percent} percent lower energy use"),
            page: 1,
        },
    ]
}

/// Which facts a text contains, however its lines are broken.
pub(crate) fn facts_in(topic: &str, text: &str) -> [bool; FACTS] {
    let squeezed = squeeze(text);
    facts(topic, NumberFidelity::AsFound).map(|fact| squeezed.contains(&squeeze(&fact.sentence)))
}

fn squeeze(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).collect()
}
