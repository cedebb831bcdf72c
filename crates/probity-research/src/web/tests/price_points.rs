//! Whole runs of the first engine at twelve prices: a dearer model never finds fewer pages, unless the guard says so, and even then four.

use super::World;
use crate::{
    cost::MicroUsd,
    planning::{
        PlanCap,
        tests::prices::{PRICE_POINTS, priced_plan},
    },
    stop::RunStop,
    web::strategy::{GUARD_DEFAULT, StrategyLevel},
};

/// Pages that exist, each of a site of its own; every query finds others.
const PAGES: usize = 60;

fn pages_read(point: (u64, u64), guard: Option<MicroUsd>) -> (usize, Option<String>, String) {
    let web = priced_plan(StrategyLevel::Shallow, point, PlanCap::of(None, guard));
    let (budget, cut) = (web.strategy.budget, web.cut.as_ref().map(|cut| cut.sentence()));
    let mut world = World::new(web, None);
    world.add_sites(PAGES);
    let (world, finish) = world.run();
    assert_eq!(finish.stop, RunStop::Completed, "{point:?}");
    assert!(finish.cost.known().unwrap_or_default() <= budget, "{point:?}: {:?} of {budget}", finish.cost);
    let gathered = world.research.web_state.as_ref().unwrap();
    let read = gathered.pages.iter().filter(|page| page.is_read).count();
    (read, cut, finish.report.unwrap().text)
}

#[test]
fn a_dearer_model_finds_no_less_unless_the_guard_says_so_and_then_at_least_four_pages() {
    let (cheapest, _, _) = pages_read((0, 0), None);
    assert!(cheapest >= 4, "{cheapest}");
    // The plans of all twelve are the same there; runs are for the dearest.
    let (dearest, cut, _) = pages_read((1_000, 4_000), None);
    assert_eq!((dearest, cut), (cheapest, None));
    let mut before = usize::MAX;
    for point in PRICE_POINTS {
        let (read, cut, text) = pages_read(point, Some(GUARD_DEFAULT));
        assert!(read >= 4 && read <= before, "{point:?}: {read} after {before}");
        match cut {
            Some(cut) => assert!(text.contains(cut.split(':').next().unwrap()), "{point:?}: {text}"),
            None => assert_eq!(read, cheapest, "{point:?}"),
        }
        eprintln!("figure: price.pages {point:?} {read}");
        before = read;
    }
}
