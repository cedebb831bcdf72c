use super::*;
use crate::locate::locate;

const MOST: usize = 5;

fn compared(claim: &str, page: &str, context: ComparisonContext) -> ClaimComparison {
    let page = IndexedPage::new(page);
    let facts = PageFacts::of(&page);
    let passages = locate(claim, &page, MOST);
    compare(claim, &ComparisonSource { page: &page, facts: &facts, passages: &passages, context })
}

/// The worst finding of an aspect.
#[track_caller]
fn check(claim: &str, page: &str, aspect: ComparisonAspect, expected: Option<Comparison>) {
    let comparison = compared(claim, page, ComparisonContext::default());
    let found =
        comparison.remarks.iter().filter(|remark| remark.aspect == aspect).map(|remark| remark.finding).max();
    assert_eq!(found, expected, "{claim}\n{:#?}", comparison.remarks);
}

#[test]
fn numbers_in_the_same_place_speak_against_the_claim() {
    for (claim, page) in [
        ("The library has 45 modules for parsing.", "Intro.\nThe library has 42 modules for parsing.\nMore."),
        (
            "Die Bibliothek enthält 45 Module für Anfänger.",
            "Einleitung.\nDie Bibliothek enthält 42 Module für Anfänger.",
        ),
        (
            "La bibliothèque contient 45 modules pour analyser.",
            "Début.\nLa bibliothèque contient 42 modules pour analyser.",
        ),
        (
            "La biblioteca contiene 45 módulos para analizar.",
            "Inicio.\nLa biblioteca contiene 42 módulos para analizar.",
        ),
        ("该库包含45个模块用于解析文本。", "简介。\n该库包含42个模块用于解析文本。"),
        (
            "このライブラリには解析用のモジュールが45個あります。",
            "序。\nこのライブラリには解析用のモジュールが42個あります。",
        ),
        (
            "Библиотека содержит 45 модулей для разбора.",
            "Введение.\nБиблиотека содержит 42 модуля для разбора. Библиотека содержит 42 модулей для разбора.",
        ),
    ] {
        check(claim, page, ComparisonAspect::Number, Some(Comparison::Differs));
        check(
            page.split('\n').nth(1).unwrap_or_default(),
            page,
            ComparisonAspect::Number,
            Some(Comparison::Agrees),
        );
    }
}

#[test]
fn a_number_that_is_nowhere_is_absent_and_one_that_follows_is_less_so() {
    let page = "The town had 1,200 inhabitants. In 2010 it grew by 300 people. It was founded in 1950.";
    check("The mayor earned 77,000 last month.", page, ComparisonAspect::Number, Some(Comparison::Absent));
    let derived = compared("Together 1,500 people lived there.", page, ComparisonContext::default());
    assert!(
        derived
            .remarks
            .iter()
            .all(|remark| remark.aspect != ComparisonAspect::Number || remark.confidence < 60)
    );
}

#[test]
fn units_differ_where_figures_agree() {
    check(
        "The wall is 30 miles long and old.",
        "The wall is 30 km long and old.",
        ComparisonAspect::Unit,
        Some(Comparison::Differs),
    );
    check(
        "Das Limit beträgt 30 Minuten pro Anfrage.",
        "Das Limit beträgt 30 Sekunden pro Anfrage.",
        ComparisonAspect::Unit,
        Some(Comparison::Differs),
    );
    check(
        "The rate rose 3 percentage points in spring.",
        "The rate rose 3 % in spring.",
        ComparisonAspect::Unit,
        Some(Comparison::Differs),
    );
}

#[test]
fn dates_are_compared_in_several_languages() {
    for (claim, page) in [
        ("The treaty was signed on 3 May 2019 in Rome.", "The treaty was signed on 4 May 2018 in Rome."),
        ("Der Vertrag wurde im Mai 2019 unterzeichnet.", "Der Vertrag wurde im April 2018 unterzeichnet."),
        ("Le traité a été signé le 3 mai 2019 à Rome.", "Le traité a été signé le 4 avril 2018 à Rome."),
        ("该条约于2019年5月3日签署生效。", "该条约于2018年4月4日签署生效。"),
    ] {
        check(claim, page, ComparisonAspect::Date, Some(Comparison::Differs));
        check(page, page, ComparisonAspect::Date, Some(Comparison::Agrees));
    }
    check(
        "The treaty was signed in 2019.",
        "The treaty was signed on 3 May 2019 in Rome.",
        ComparisonAspect::Date,
        Some(Comparison::Agrees),
    );
    check(
        "It opened on 3 May 2019.",
        "The weather was fine. Nothing else happened.",
        ComparisonAspect::Date,
        Some(Comparison::Absent),
    );
}

#[test]
fn names_are_found_by_surname_acronym_and_without_diacritics() {
    let page =
        "The World Health Organization met in Zurich. Its head, Maria Müller, spoke. Muller thanked them.";
    for claim in [
        "There WHO met.",
        "A speech by Müller was given.",
        "They met in Zürich.",
        "She saw Maria Muller there.",
    ] {
        check(claim, page, ComparisonAspect::Name, Some(Comparison::Agrees));
    }
    check("The award went to John Smith there.", page, ComparisonAspect::Name, Some(Comparison::Absent));
    let page = "The tower of Prague was designed long ago, and it is one of the oldest.";
    check("It was drawn by Otto Falkenrath there.", page, ComparisonAspect::Name, Some(Comparison::Absent));
    check(
        "The report was presented by John Smith in the evening.",
        "The report was presented by Maria Weber in the evening.",
        ComparisonAspect::Name,
        Some(Comparison::Differs),
    );
}

#[test]
fn polarity_turns_a_statement_round() {
    for (claim, page) in [
        ("The function does not modify the original list.", "The function does modify the original list."),
        ("Prices rose sharply in the spring quarter.", "Prices fell sharply in the spring quarter."),
        ("Die Funktion verändert die Liste nicht.", "Die Funktion verändert die Liste."),
        ("La fonction ne modifie pas la liste.", "La fonction modifie la liste."),
        ("El valor aumenta después de cada llamada.", "El valor disminuye después de cada llamada."),
        ("该函数会减少内存使用。", "该函数会增加内存使用。"),
        ("Функция не изменяет исходный список.", "Функция изменяет исходный список."),
    ] {
        check(claim, page, ComparisonAspect::Polarity, Some(Comparison::Differs));
        check(page, page, ComparisonAspect::Polarity, None);
    }
}

#[test]
fn bounds_and_hedges_and_scope_weaken() {
    check(
        "The tank holds 12 litres of water.",
        "The tank holds up to 12 litres of water.",
        ComparisonAspect::Comparison,
        Some(Comparison::Weakens),
    );
    check(
        "The tank holds at least 12 litres of water.",
        "The tank holds at most 12 litres of water.",
        ComparisonAspect::Comparison,
        Some(Comparison::Differs),
    );
    check(
        "The drug lowers blood pressure.",
        "The drug may lower blood pressure.",
        ComparisonAspect::Hedge,
        Some(Comparison::Weakens),
    );
    check(
        "All users lost their data.",
        "Some users lost their data.",
        ComparisonAspect::Scope,
        Some(Comparison::Weakens),
    );
    check(
        "The drug reduces tumour growth.",
        "The drug reduces tumour growth in mice.",
        ComparisonAspect::Scope,
        Some(Comparison::Weakens),
    );
    check(
        "The drug reduces tumour growth.",
        "The drug reduces tumour growth.",
        ComparisonAspect::Hedge,
        None,
    );
}

#[test]
fn words_of_another_speaker_are_no_support() {
    check(
        "The plan is a mistake, said Anna Schmidt.",
        "The plan is a mistake, said Peter Jones.",
        ComparisonAspect::Attribution,
        Some(Comparison::Differs),
    );
}

#[test]
fn an_old_page_cannot_say_what_is_current() {
    let context = ComparisonContext { year_now: Some(2026), year_published: Some(2019) };
    let stale =
        compared("She is currently the chair of the board.", "She is the chair of the board.", context);
    assert!(
        stale
            .remarks
            .iter()
            .any(|remark| remark.aspect == ComparisonAspect::Freshness
                && remark.finding == Comparison::Weakens)
    );
    let fresh = ComparisonContext { year_now: Some(2026), year_published: Some(2026) };
    let current =
        compared("She is currently the chair of the board.", "She is the chair of the board.", fresh);
    assert!(current.remarks.iter().all(|remark| remark.aspect != ComparisonAspect::Freshness));
}

#[test]
fn what_one_page_lacks_another_may_have() {
    let claim = "The bridge is 77 metres long and was built by Anna Schmidt.";
    let texts = ["The bridge is 77 metres long.", "The bridge was built by Anna Schmidt."];
    let pages: Vec<IndexedPage> = texts.iter().map(|text| IndexedPage::new(text)).collect();
    let facts: Vec<PageFacts> = pages.iter().map(PageFacts::of).collect();
    let passages: Vec<Vec<LocatedPassage>> = pages.iter().map(|page| locate(claim, page, MOST)).collect();
    let sources: Vec<ComparisonSource<'_>> = pages
        .iter()
        .zip(&facts)
        .zip(&passages)
        .map(|((page, facts), passages)| ComparisonSource {
            page,
            facts,
            passages,
            context: ComparisonContext::default(),
        })
        .collect();
    let one = compare(claim, &sources[1]);
    assert!(
        one.remarks
            .iter()
            .any(|remark| remark.aspect == ComparisonAspect::Number && remark.finding == Comparison::Absent)
    );
    let both = compare_all(claim, &sources);
    assert!(both.remarks.iter().all(|remark| remark.finding == Comparison::Agrees), "{:#?}", both.remarks);
    assert_eq!(both.leaning, RuleLeaning::Open);
    assert_eq!(compare_all(claim, &[]).leaning, RuleLeaning::NotInSource);
}

#[test]
fn a_page_about_something_else_is_not_the_source() {
    let page = "The recipe needs flour, sugar and butter. Bake it for an hour. Serve it warm with cream.";
    let comparison = compared(
        "Quarterly revenue of Siemens Energy grew because of turbine orders.",
        page,
        ComparisonContext::default(),
    );
    assert_eq!(comparison.leaning, RuleLeaning::NotInSource, "{comparison:#?}");
}

#[test]
fn an_amount_in_another_currency_follows_from_a_rate_on_the_page() {
    let page = "The bridge cost 50 million dollars. The museum is older. At the time one euro was worth 1.25 dollars.";
    let agrees = Some(Comparison::Agrees);
    check("The bridge cost 40 million euros.", page, ComparisonAspect::Number, agrees);
    let per = "The bridge cost 50 million dollars. At the time the rate was 1.25 dollars per euro.";
    check("The bridge cost about 40 million euros.", per, ComparisonAspect::Number, agrees);
    let inverse = "Die Brücke kostete 50 Millionen Dollar. Ein Dollar kostete damals 0,80 Euro.";
    check("Die Brücke kostete 40 Millionen Euro.", inverse, ComparisonAspect::Number, agrees);
    let yuan = "该桥耗资5000万美元。当时1美元兑7.2元。";
    check("该桥耗资3.6亿元。", yuan, ComparisonAspect::Number, agrees);
}

#[test]
fn no_rate_or_another_one_leaves_an_amount_in_another_currency_what_it_is() {
    let without = "The bridge cost 50 million dollars. The museum cost 40 thousand euros.";
    let other = "The bridge cost 50 million dollars. At the time one euro was worth 1.60 dollars.";
    for page in [without, other] {
        let comparison = compared("The bridge cost 40 million euros.", page, ComparisonContext::default());
        let agrees = |remark: &ComparisonRemark| {
            remark.aspect == ComparisonAspect::Number && remark.finding == Comparison::Agrees
        };
        assert!(!comparison.remarks.iter().any(agrees), "{page}\n{:#?}", comparison.remarks);
    }
}

#[test]
fn a_bare_figure_elsewhere_does_not_bear_out_another_unit() {
    let page =
        "Timeout: 30\nThe default value of 30 seconds is recommended by the standard for slow networks.";
    let claim = "The default value of 30 minutes is recommended by the standard for slow networks.";
    check(claim, page, ComparisonAspect::Unit, Some(Comparison::Differs));
    let faithful = "The default value of 30 seconds is recommended by the standard for slow networks.";
    check(faithful, page, ComparisonAspect::Number, Some(Comparison::Agrees));
}

#[test]
fn one_changed_word_of_a_name_is_another_name() {
    let page = "Third parties provide packages of the Apache Web Server for their own platforms.";
    let claim = "Third parties provide packages of the Kowalski Web Server for their own platforms.";
    check(claim, page, ComparisonAspect::Name, Some(Comparison::Differs));
    let shorter = "Third parties provide packages of the Web Server for their own platforms.";
    check(shorter, page, ComparisonAspect::Name, Some(Comparison::Agrees));
}
