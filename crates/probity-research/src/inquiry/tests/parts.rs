//! Whole inquiries with one part taken out: that part alone is missing, and a report is written all the same.

use super::{
    WINDOW,
    world::{InquiryWorld, plan},
};
use crate::{
    inquiry::{InquiryPart, InquiryPlan},
    stop::RunStop,
    web::{strategy::StrategyLevel, task::WebRequest},
};

fn run_without(parts: &[InquiryPart]) -> InquiryWorld {
    let mut web = plan(StrategyLevel::Deep, Some(150_000), WINDOW);
    web.inquiry.as_mut().unwrap().without = parts.to_vec();
    let mut world = InquiryWorld::new(web, None);
    world.disputes = true;
    let (world, finish) = world.run();
    assert_eq!(finish.stop, RunStop::Completed, "{parts:?}");
    assert!(world.inquiry().is_written(), "{parts:?}");
    world
}

/// Calls for an outline, calls for sections, conflicts found, and whether every section got its quotations in their order.
fn seen(parts: &[InquiryPart]) -> (bool, usize, bool, bool) {
    let world = run_without(parts);
    let outlines = world.count(|ask| matches!(ask, WebRequest::Outline(_)));
    let in_order = world.asked.iter().all(|call| match &call.ask {
        WebRequest::Section(asked) => asked.quotes.is_sorted_by_key(|quote| quote.id),
        _ => true,
    });
    let sections = world.count(|ask| matches!(ask, WebRequest::Section(_)));
    (outlines > 0, sections, !world.inquiry().conflicts.is_empty(), in_order)
}

#[test]
fn a_part_that_is_taken_out_is_missing_and_no_other() {
    let (outlines, sections, conflicts, in_order) = seen(&[]);
    assert!(
        outlines && sections > 3 && conflicts && !in_order,
        "{outlines} {sections} {conflicts} {in_order}"
    );
    let (outlines, sections, conflicts, _) = seen(&[InquiryPart::Outline]);
    assert!(!outlines && sections > 3 && conflicts);
    let (outlines, sections, conflicts, _) = seen(&[InquiryPart::Sections]);
    assert_eq!((outlines, sections, conflicts), (true, 1, true));
    let (outlines, sections, conflicts, in_order) = seen(&[InquiryPart::Bank]);
    assert!(outlines && sections > 3 && conflicts && in_order);
    let (outlines, sections, conflicts, _) = seen(&[InquiryPart::Conflicts]);
    assert!(outlines && sections > 3 && !conflicts);
}

#[test]
fn plans_have_every_part_and_say_nothing_of_it() {
    let whole = InquiryPlan::new(StrategyLevel::Deep, None, None, WINDOW);
    assert!(InquiryPart::ALL.iter().all(|part| whole.has(*part)));
    let text = serde_json::to_string(&whole).unwrap();
    assert!(!text.contains("without"), "{text}");
    let less = InquiryPlan { without: InquiryPart::ALL.to_vec(), ..whole };
    let again: InquiryPlan = serde_json::from_str(&serde_json::to_string(&less).unwrap()).unwrap();
    assert_eq!(again, less);
    for part in InquiryPart::ALL {
        assert_eq!(serde_json::to_value(part).unwrap(), part.as_str());
    }
}
