use super::*;

#[test]
fn numbers_never_differ() {
    let page = Page::new("Sales rose by 12.5 percent in 2019, the ministry said.");
    assert_eq!(anchor("Sales rose by 12.5 percent in 2019", &page).map(|found| found.fit), Some(Fit::Exact));
    assert_eq!(anchor("Sales rose by 12.4 percent in 2019", &page), None);
}
