//! The pages that the scripted model cites, as their servers give them: readable ones state the facts of their topic;
//! the others are behind a paywall, closed to robots, made by scripts, or gone.

use crate::{
    call::{SimulatorAnswer, SimulatorCall},
    rounds::Pages,
    world::round::facts::{self, NumberFidelity},
};

use super::page::{SmallWebPage, plain};

/// What stands on the pages beside their facts.
const BESIDE: [&str; 2] = [
    "The figures were published together with the drawings, and the archive of the city keeps both of them.",
    "Readers who find a mistake on this page are asked to write to the editors, who answer every letter.",
];
const HTML: &str = "text/html; charset=utf-8";

/// The answer of a page's server; none for a host that has no pages of ours.
pub(super) fn answer(now_ms: u64, host: &str, call: &SimulatorCall) -> Option<SimulatorAnswer> {
    let pages = Pages::ALL.iter().copied().find(|pages| host_of(*pages) == host)?;
    if call.target == "/robots.txt" {
        return Some(match pages {
            Pages::Robots => plain(200, "text/plain; charset=utf-8", "User-agent: *\nDisallow: /\n"),
            _ => plain(404, HTML, "<!doctype html><title>Not found</title>"),
        });
    }
    Some(match pages {
        Pages::Named | Pages::Numeric | Pages::Robots => match page(pages, &call.target) {
            Some(page) => page.answer(now_ms, call),
            None => plain(404, HTML, "<!doctype html><title>Not found</title>"),
        },
        Pages::Paywall => {
            plain(402, HTML, "<!doctype html><title>Subscribe</title><p>For subscribers only.</p>")
        }
        Pages::Scripts => {
            plain(200, HTML, "<!doctype html><div id=\"root\"></div><script src=\"/app.js\"></script>")
        }
        Pages::Dead => plain(410, HTML, "<!doctype html><title>Gone</title>"),
    })
}

fn host_of(pages: Pages) -> &'static str {
    let address = pages.url_prefix();
    address.split("//").nth(1).unwrap_or(address).trim_end_matches('/')
}

/// `/topic/number`
fn page(pages: Pages, target: &str) -> Option<SmallWebPage> {
    let (topic, number) = target.strip_prefix('/')?.split_once('/')?;
    let number: u32 = number.parse().ok().filter(|number| (1..=facts::PAGES).contains(number))?;
    let stated = facts::facts(topic, NumberFidelity::AsFound);
    let stated = stated.iter().filter(|fact| fact.page == number).map(|fact| format!("{}.", fact.sentence));
    let paragraphs: Vec<String> =
        stated.zip(BESIDE).map(|(fact, beside)| format!("{fact}\n\n{beside}")).collect();
    let url = facts::page_url(pages, topic, number);
    Some(SmallWebPage::new(&url, &facts::page_title(topic, number), &paragraphs.join("\n\n")))
}

#[cfg(test)]
mod tests {
    use super::answer;
    use crate::{
        call::{CallMethod, SimulatorAnswer, SimulatorCall},
        rounds::Pages,
        world::round::facts::{self, NumberFidelity},
    };

    fn get(host: &str, target: &str) -> Option<(u16, String)> {
        let call = SimulatorCall {
            method: CallMethod::Get,
            target: target.to_owned(),
            headers: Vec::new(),
            body: bytes::Bytes::new(),
        };
        match answer(0, host, &call)? {
            SimulatorAnswer::Whole { status, body, .. } => {
                Some((status, String::from_utf8(body.to_vec()).unwrap()))
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_page_states_the_facts_that_are_cited_from_it() {
        for fact in facts::facts("tpu", NumberFidelity::AsFound) {
            let url = facts::page_url(Pages::Named, "tpu", fact.page);
            let (status, body) =
                get("pages.example", url.strip_prefix("http://pages.example").unwrap()).unwrap();
            assert!(status == 200 && body.contains(&fact.sentence), "{body}");
        }
        assert_eq!(get("pages.example", "/tpu/3").map(|(status, _)| status), Some(404));
        assert_eq!(get("other.example", "/tpu/1"), None);
    }

    #[test]
    fn what_nobody_can_read_says_nothing() {
        let [fact, ..] = facts::facts("tpu", NumberFidelity::AsFound);
        for host in ["paywall.example", "scripts.example", "dead.example"] {
            assert!(!get(host, "/tpu/1").unwrap().1.contains(&fact.sentence), "{host}");
        }
        assert!(get("robots.example", "/robots.txt").unwrap().1.contains("Disallow: /"));
    }
}
