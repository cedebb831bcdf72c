use probity_research::{
    cost::{MicroUsd, Usage},
    price,
    time::Moment,
    web::bill::{Bill, BillBasis},
};

use super::{ChatUsageCount, PriceSource, expected_cost, micro_usd};

const TODAY: &str = "2026-11-15";

fn today() -> Moment {
    Moment::of_date(TODAY).unwrap()
}

fn usage(input_tokens: u64, cached_tokens: u64, output_tokens: u64, thought_tokens: u64) -> Usage {
    Usage { input_tokens, cached_tokens, output_tokens, thought_tokens, ..Usage::NONE }
}

#[test]
fn the_table_agrees_with_the_one_that_rounds_are_priced_by() {
    let google = PriceSource::Of("google".to_owned());
    for model in ["gemini-3.5-flash-lite", "gemini-3.8-flash", "gemini-3.1-pro-preview"] {
        for date in ["2026-11-15", "2027-01-01"] {
            for usage in [usage(1_000, 0, 100, 0), usage(90_000, 30_000, 7_001, 999), usage(1, 0, 1, 0)] {
                let ours = price::of_model(model, &usage, date);
                let theirs = google.cost(model, &usage, Moment::of_date(date).unwrap()).unwrap();
                // Ours rounds each of three parts up to a millionth.
                let apart = ours.0.abs_diff(theirs.0);
                assert!(apart <= 2, "{model} on {date}: {ours:?} and {theirs:?} for {usage:?}");
            }
        }
    }
}

#[test]
fn prices_follow_the_date_and_a_model_nobody_knows_has_none() {
    let million = |model, date| expected_cost(model, 1_000_000, 1_000_000, date);
    assert_eq!(million("gemini-3.8-flash", TODAY), Some(MicroUsd(4_500_000)));
    assert_eq!(million("gemini-3.8-flash", "2027-01-01"), Some(MicroUsd(9_000_000)));
    assert!(million("gpt-5", TODAY).unwrap() > MicroUsd(1_000_000));
    assert_eq!(million("somebodys-own-model", TODAY), None);
    assert_eq!(million("gpt-5", "yesterday"), None);
}

#[test]
fn an_endpoint_is_known_by_its_address() {
    let at = |address: &str| PriceSource::At(address.to_owned());
    let usage = usage(1_000_000, 0, 0, 0);
    let gpt = at("https://api.openai.com/v1").cost("gpt-5", &usage, today());
    assert_eq!(gpt, expected_cost("gpt-5", 1_000_000, 0, TODAY));
    assert_eq!(at("https://models.company.example/v1").cost("gpt-5", &usage, today()), None);
    assert!(at("https://openrouter.ai/api/v1").cost("openai/gpt-5", &usage, today()).is_some());
}

#[track_caller]
fn check(prices: &PriceSource, model: &str, count: &ChatUsageCount, expected: &Bill) {
    assert_eq!(&prices.bill(model, "asked", count, today()), expected, "{prices:?} {model} {count:?}");
}

#[test]
fn what_is_not_known_is_never_nothing() {
    let google = PriceSource::Of("google".to_owned());
    let all = usage(1_000, 0, 1_000, 0);
    let counted = ChatUsageCount { usage: Some(all), ..ChatUsageCount::default() };
    check(&google, "gemini-3.8-flash", &counted, &Bill::counted(MicroUsd(4_500), all));
    check(
        &google,
        "unheard-of",
        &counted,
        &Bill { basis: BillBasis::AtLeast, cost: MicroUsd(0), usage: all },
    );
    check(&google, "gemini-3.8-flash", &ChatUsageCount::default(), &Bill::UNKNOWN);
    let some = usage(1_000, 0, 0, 0);
    let part = ChatUsageCount { part: Some(some), ..ChatUsageCount::default() };
    let at_least = Bill { basis: BillBasis::AtLeast, cost: MicroUsd(750), usage: some };
    check(&google, "gemini-3.8-flash", &part, &at_least);
    check(&PriceSource::Free, "any", &ChatUsageCount::default(), &Bill::NOTHING);
    check(&PriceSource::Free, "any", &counted, &Bill { usage: all, ..Bill::NOTHING });
    let paid = ChatUsageCount { usage: Some(all), paid: Some(MicroUsd(12)), ..ChatUsageCount::default() };
    check(&PriceSource::Free, "any", &paid, &Bill::counted(MicroUsd(12), all));
}

#[test]
fn dollars_are_rounded_up_and_absurd_counts_do_not_overflow() {
    assert_eq!(
        [0.0, 0.000_000_1, 0.1 + 0.2, f64::MAX].map(|usd| micro_usd(usd).0),
        [0, 1, 300_000, u64::MAX]
    );
    assert!(expected_cost("gemini-3.8-flash", u64::MAX, u64::MAX, TODAY).unwrap() > MicroUsd(1_000_000));
}
