//! What planning makes of a depth that is asked for and of a model's price: as deep as asked in any language, and no less
//! for a dearer model where nobody states a budget.
#![expect(clippy::disallowed_methods, reason = "where other prompts lie is a setting of whoever measures")]

use std::path::Path;

use anyhow::{Context as _, ensure};
use probity_research::{
    cost::MicroUsd,
    planning::{ModelOffer, PlanCap},
    web::{plan::WebPlan, strategy::StrategyLevel},
};
use probity_simulator::research::ResearchWorld;

use super::{inside, score::Scorer};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::{kill_sweep::memory_folder, parallel_trials::run_in_parallel},
    rig::SimulatorProcess,
};

/// Names a file with prompts of others, one a line: they are not part of this repository.
const PROMPTS_VARIABLE: &str = "PROBITY_DEPTH_PROMPTS";
/// `%` is the subject; three wordings in each of six languages.
const ASKED: [&str; 18] = [
    "What is %?",
    "Compare % with its alternatives in depth and name the trade-offs",
    "Quick question: how much does % cost?",
    "Was ist %?",
    "Vergleiche % ausführlich mit den Alternativen",
    "Wie viel kostet % im Jahr 2026?",
    "Quels sont les effets de % sur le climat ?",
    "Rédige un rapport complet sur %",
    "Combien coûte % ?",
    "¿Qué riesgos tiene %?",
    "Haz una investigación exhaustiva sobre %",
    "¿Quién inventó %?",
    "请全面比较%与其他方案",
    "%是什么？",
    "%的价格是多少？",
    "%の将来性について詳しく調査してください",
    "%とは何ですか？",
    "%の歴史を簡単に教えて",
];
const SUBJECTS: [&str; 6] = ["PostgreSQL 18", "heat pumps", "CRISPR", "LiFePO4", "GDPR", "hello"];
/// Dollars per million tokens in; four times as many out. From a model that costs nothing to one that nobody can afford.
const PRICE_POINTS: [u64; 12] = [0, 1, 2, 3, 5, 8, 15, 30, 60, 150, 400, 1_000];
const DEPTHS: [StrategyLevel; 4] =
    [StrategyLevel::Shallow, StrategyLevel::Medium, StrategyLevel::Deep, StrategyLevel::Exhaustive];
const QUESTION: &str = "How do the ports of the coast compare?";
/// At the control a dear model has a dollar.
const CONTROL_BUDGET: MicroUsd = MicroUsd(1_000_000);
/// Models of one price list; those that it no longer has are left out.
const MODELS: [&str; 16] = [
    "gpt-5-nano",
    "gpt-4.1-nano",
    "gpt-4o-mini",
    "gpt-5-mini",
    "gpt-4.1-mini",
    "gpt-3.5-turbo",
    "o4-mini",
    "gpt-5",
    "gpt-4.1",
    "o3",
    "gpt-4o",
    "gpt-4-turbo",
    "o1",
    "gpt-4",
    "gpt-5-pro",
    "o1-pro",
];
/// Calls end in another order in each run, and what they find with it: less than this part of the most is less.
const SAME_PERCENT: usize = 90;

fn at_price(depth: StrategyLevel, dollars: u64, cap: PlanCap) -> anyhow::Result<WebPlan> {
    let price = move |input: u64, output: u64| Some(MicroUsd((input + 4 * output).saturating_mul(dollars)));
    let model = ModelOffer { name: "priced", local: false, price: &price };
    inside::planned(QUESTION, Some(depth), model, cap)
}

/// Whether a plan does all that the free model's does.
fn is_whole(plan: &WebPlan, free: &WebPlan) -> bool {
    let caps = |plan: &WebPlan| plan.inquiry.as_ref().map(|inquiry| (inquiry.caps.clone(), inquiry.words));
    plan.pages_max() >= free.pages_max() && caps(plan) == caps(free) && plan.cut.is_none()
}

pub fn prices(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let (mut less, mut all) = (0, 0);
    for depth in DEPTHS {
        let free = at_price(depth, 0, PlanCap::of(None, None))?;
        for dollars in PRICE_POINTS {
            all += 1;
            less += usize::from(!is_whole(&at_price(depth, dollars, PlanCap::of(None, None))?, &free));
        }
        let stated = at_price(depth, 1_000, PlanCap::of(Some(CONTROL_BUDGET), None))?;
        ensure!(!is_whole(&stated, &free), "a plan that a budget cut is taken for a whole one: {depth:?}");
    }
    let mut figures = vec![
        Figure::judged(
            "plans for a dearer model, without a stated budget, that do less",
            less == 0,
            format!("{less} of {all}"),
            "never",
        )
        .with_note("12 prices, 4 depths; control: with a dollar stated, the dearest is cut at every depth"),
    ];
    if size == MeasurementSize::Full {
        figures.push(priced_runs()?);
    }
    Ok(figures)
}

/// The same by running: real prices of one list, each model the same scripted one.
fn priced_runs() -> anyhow::Result<Figure> {
    let million = |model: &str| {
        let cost = inside::chat("http://127.0.0.1:1", model).ok()?.expected_cost(1_000_000, 1_000_000)?;
        Some((cost, model.to_owned()))
    };
    let mut models: Vec<(MicroUsd, String)> = MODELS.iter().filter_map(|model| million(model)).collect();
    models.sort();
    models.dedup_by_key(|(cost, _)| *cost);
    let folder = memory_folder()?;
    let mut told = run_in_parallel("price", 2, &models, folder.path(), |(cost, model), place| {
        Ok((*cost, facts_found(model, place)?))
    })?;
    told.sort();
    let most = told.iter().map(|(_, facts)| *facts).max().unwrap_or(0);
    let less = told.iter().filter(|(_, facts)| facts * 100 < most * SAME_PERCENT).count();
    let each = told.iter().map(|(cost, facts)| format!("{cost}: {facts}")).collect::<Vec<_>>().join(", ");
    Ok(Figure::judged(
        "deep researches with a dearer model, without a stated budget, that find less",
        less == 0 && told.len() >= 12,
        format!("{less} of {}", told.len()),
        "never, at 12 prices or more",
    )
    .aim()
    .with_note(format!("price of a million tokens in and out, correct cited facts: {each}")))
}

fn facts_found(model: &str, place: &Path) -> anyhow::Result<usize> {
    let world = ResearchWorld::seeded(1);
    let simulator = SimulatorProcess::start(&["--research-world", "1"])?;
    let question = world.request.question.as_str();
    let chat = inside::chat(&simulator.base_url, model)?;
    let price = |input: u64, output: u64| chat.expected_cost(input, output);
    let offer = ModelOffer { name: model, local: false, price: &price };
    let web = inside::planned(question, Some(StrategyLevel::Deep), offer, PlanCap::of(None, None))?;
    let plan = inside::unchecked_plan(web);
    let report = inside::research(&simulator.base_url, model, question, plan, place)?;
    Ok(Scorer::new(&world).score(&report).facts.reached)
}

pub fn depths(_: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let (prompts, whose): (Vec<String>, String) = match std::env::var_os(PROMPTS_VARIABLE) {
        Some(path) => {
            let text =
                std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            (lines.map(str::to_owned).collect(), format!("prompts of {PROMPTS_VARIABLE}"))
        }
        None => (own_prompts(), format!("our own prompts in six languages; {PROMPTS_VARIABLE} names others")),
    };
    let (reached, asked) = reached(&prompts, Some)?;
    // Nobody names a depth: what the wording chooses is not all of them at once.
    let (unasked, _) = self::reached(&prompts, |_| None)?;
    ensure!(unasked < asked, "the wording of a question alone reaches every depth: the judge is blind");
    Ok(vec![
        Figure::judged(
            "depths that a caller names and that are planned, whatever the question says",
            reached == asked && prompts.len() >= 100,
            format!("{reached} of {asked}, {} prompts", prompts.len()),
            "all, over at least 100 prompts",
        )
        .with_note(format!("{whose}; control: {unasked} where nobody names one")),
    ])
}

fn own_prompts() -> Vec<String> {
    ASKED.iter().flat_map(|asked| SUBJECTS.map(|subject| asked.replace('%', subject))).collect()
}

/// Plans as deep as wanted, whole, and all of them; `name` says what of the depth the caller names.
fn reached(
    prompts: &[String],
    name: fn(StrategyLevel) -> Option<StrategyLevel>,
) -> anyhow::Result<(usize, usize)> {
    let price = |input: u64, output: u64| Some(MicroUsd(input + 4 * output));
    let (mut reached, mut all) = (0, 0);
    for prompt in prompts {
        for wanted in StrategyLevel::ALL {
            let model = ModelOffer { name: "priced", local: false, price: &price };
            let plan = inside::planned(prompt, name(wanted), model, PlanCap::of(None, None))?;
            let inquiry = plan.inquiry.as_ref().is_none_or(|inquiry| inquiry.depth == wanted);
            all += 1;
            reached += usize::from(plan.strategy.level == wanted && inquiry && plan.cut.is_none());
        }
    }
    Ok((reached, all))
}

#[cfg(test)]
mod tests {
    use super::own_prompts;
    use std::collections::BTreeSet;

    #[test]
    fn there_are_a_hundred_prompts_of_our_own() {
        let prompts = own_prompts();
        let unlike: BTreeSet<&String> = prompts.iter().collect();
        assert!(unlike.len() == prompts.len() && prompts.len() >= 100, "{}", prompts.len());
        assert!(prompts.iter().all(|prompt| !prompt.contains('%')));
    }
}
