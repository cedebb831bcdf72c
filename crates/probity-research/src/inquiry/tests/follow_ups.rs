//! A further question that is searched for: its bank begins with the parent's quotations.

use std::collections::BTreeMap;

use probity_types::inquiry::SteeringNote;

use super::{WINDOW, run, world};
use crate::{
    id::Digest,
    stop::RunStop,
    web::{
        canonical, fuse,
        page::Extract,
        parent::{FollowUpKind, ParentPage},
        plan::WebPlan,
        strategy::StrategyLevel,
        take_over::{parent_bank, stored_pages},
        task::{WebRequest, WebTask},
    },
};

const FURTHER: &str = "What is known of topic0 at the plants?";

#[test]
fn the_bank_begins_with_the_parents_quotations_and_none_of_its_pages_is_read_again() {
    let (parent, finish) = run(StrategyLevel::Medium, Some(150_000), None);
    let texts: BTreeMap<Digest, Extract> = stored_pages(&parent.research)
        .into_iter()
        .map(|page| (page.extract, Extract::decode(parent.blobs.get(&page.extract).unwrap()).unwrap()))
        .collect();
    let report = finish.report.unwrap();
    let bank = parent_bank(&parent.research, &report, &texts, FURTHER, FollowUpKind::Search);
    assert!(bank.quotations() > 0 && !bank.told.is_empty());
    let typed = bank.pages.iter().flat_map(|page| &page.quotes).any(|quote| !quote.facts.is_empty());
    assert!(typed, "values that a reader noted come along");
    let known: Vec<String> = bank.pages.iter().map(|page| page.metadata.record.final_url.clone()).collect();
    let web = WebPlan {
        parent: Some(Box::new(bank)),
        ..world::plan(StrategyLevel::Shallow, Some(150_000), WINDOW)
    };
    let mut child = world::InquiryWorld::new(web, None);
    child.replays = true;
    let (child, finish) = child.run();
    assert_eq!(finish.stop, RunStop::Completed);
    let (gathered, inquiry) = (child.research.web_state.as_ref().unwrap(), child.inquiry());
    assert!(
        inquiry.bank.quotes.iter().any(|quote| quote.round == 0),
        "what was known before the first round"
    );
    assert_eq!(gathered.notes.len(), inquiry.bank.quotes.len(), "places agree");
    for call in &child.asked {
        match (&call.ask, call.task) {
            (WebRequest::Page { url, .. }, _) => assert!(!known.contains(url), "{url} was fetched again"),
            (_, WebTask::Survey { page }) => assert!(!gathered.is_parents(page), "{page} was read again"),
            (WebRequest::Section(ask), _) => assert!(ask.reader_wants.contains("earlier report")),
            _ => {}
        }
    }
}

#[test]
fn a_site_that_the_user_banned_is_banned_for_further_questions() {
    let (mut parent, finish) = run(StrategyLevel::Medium, Some(150_000), None);
    let address = stored_pages(&parent.research).first().unwrap().record.final_url.clone();
    let site = canonical::site(&address).unwrap();
    let texts: BTreeMap<Digest, Extract> = stored_pages(&parent.research)
        .into_iter()
        .map(|page| (page.extract, Extract::decode(parent.blobs.get(&page.extract).unwrap()).unwrap()))
        .collect();
    parent.research.web_state.as_mut().unwrap().steered.push(SteeringNote::BanSite { site: site.clone() });
    let bank = parent_bank(&parent.research, &finish.report.unwrap(), &texts, FURTHER, FollowUpKind::Ask);
    assert_eq!(bank.banned, std::slice::from_ref(&site));
    let is_banned = |page: &ParentPage| fuse::is_on_site(&page.metadata.record.final_url, &site);
    assert!(!bank.pages.iter().any(is_banned));
}
