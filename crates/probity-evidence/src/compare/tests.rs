use super::*;
use crate::locate::locate;

const MOST: usize = 5;

fn compared(claim: &str, page: &str, context: Context) -> Comparison {
    let page = Page::new(page);
    let facts = PageFacts::of(&page);
    let passages = locate(claim, &page, MOST);
    compare(claim, &Source { page: &page, facts: &facts, passages: &passages, context })
}

/// The worst finding of an aspect.
#[track_caller]
fn check(claim: &str, page: &str, aspect: Aspect, expected: Option<Finding>) {
    let comparison = compared(claim, page, Context::default());
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
        check(claim, page, Aspect::Number, Some(Finding::Differs));
        check(page.split('\n').nth(1).unwrap_or_default(), page, Aspect::Number, Some(Finding::Agrees));
    }
}

#[test]
fn a_number_that_is_nowhere_is_absent_and_one_that_follows_is_less_so() {
    let page = "The town had 1,200 inhabitants. In 2010 it grew by 300 people. It was founded in 1950.";
    check("The mayor earned 77,000 last month.", page, Aspect::Number, Some(Finding::Absent));
    let derived = compared("Together 1,500 people lived there.", page, Context::default());
    assert!(derived.remarks.iter().all(|remark| remark.aspect != Aspect::Number || remark.confidence < 60));
}

#[test]
fn units_differ_where_figures_agree() {
    check(
        "The wall is 30 miles long and old.",
        "The wall is 30 km long and old.",
        Aspect::Unit,
        Some(Finding::Differs),
    );
    check(
        "Das Limit beträgt 30 Minuten pro Anfrage.",
        "Das Limit beträgt 30 Sekunden pro Anfrage.",
        Aspect::Unit,
        Some(Finding::Differs),
    );
    check(
        "The rate rose 3 percentage points in spring.",
        "The rate rose 3 % in spring.",
        Aspect::Unit,
        Some(Finding::Differs),
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
        check(claim, page, Aspect::Date, Some(Finding::Differs));
        check(page, page, Aspect::Date, Some(Finding::Agrees));
    }
    check(
        "The treaty was signed in 2019.",
        "The treaty was signed on 3 May 2019 in Rome.",
        Aspect::Date,
        Some(Finding::Agrees),
    );
    check(
        "It opened on 3 May 2019.",
        "The weather was fine. Nothing else happened.",
        Aspect::Date,
        Some(Finding::Absent),
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
        check(claim, page, Aspect::Name, Some(Finding::Agrees));
    }
    check("The award went to John Smith there.", page, Aspect::Name, Some(Finding::Absent));
    let page = "The tower of Prague was designed long ago, and it is one of the oldest.";
    check("It was drawn by Otto Falkenrath there.", page, Aspect::Name, Some(Finding::Absent));
    check(
        "The report was presented by John Smith in the evening.",
        "The report was presented by Maria Weber in the evening.",
        Aspect::Name,
        Some(Finding::Differs),
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
        check(claim, page, Aspect::Polarity, Some(Finding::Differs));
        check(page, page, Aspect::Polarity, None);
    }
}

#[test]
fn bounds_and_hedges_and_scope_weaken() {
    check(
        "The tank holds 12 litres of water.",
        "The tank holds up to 12 litres of water.",
        Aspect::Comparison,
        Some(Finding::Weakens),
    );
    check(
        "The tank holds at least 12 litres of water.",
        "The tank holds at most 12 litres of water.",
        Aspect::Comparison,
        Some(Finding::Differs),
    );
    check(
        "The drug lowers blood pressure.",
        "The drug may lower blood pressure.",
        Aspect::Hedge,
        Some(Finding::Weakens),
    );
    check("All users lost their data.", "Some users lost their data.", Aspect::Scope, Some(Finding::Weakens));
    check(
        "The drug reduces tumour growth.",
        "The drug reduces tumour growth in mice.",
        Aspect::Scope,
        Some(Finding::Weakens),
    );
    check("The drug reduces tumour growth.", "The drug reduces tumour growth.", Aspect::Hedge, None);
}

#[test]
fn words_of_another_speaker_are_no_support() {
    check(
        "The plan is a mistake, said Anna Schmidt.",
        "The plan is a mistake, said Peter Jones.",
        Aspect::Attribution,
        Some(Finding::Differs),
    );
}

#[test]
fn an_old_page_cannot_say_what_is_current() {
    let context = Context { year_now: Some(2026), year_published: Some(2019) };
    let stale =
        compared("She is currently the chair of the board.", "She is the chair of the board.", context);
    assert!(
        stale
            .remarks
            .iter()
            .any(|remark| remark.aspect == Aspect::Freshness && remark.finding == Finding::Weakens)
    );
    let fresh = Context { year_now: Some(2026), year_published: Some(2026) };
    let current =
        compared("She is currently the chair of the board.", "She is the chair of the board.", fresh);
    assert!(current.remarks.iter().all(|remark| remark.aspect != Aspect::Freshness));
}

#[test]
fn what_one_page_lacks_another_may_have() {
    let claim = "The bridge is 77 metres long and was built by Anna Schmidt.";
    let texts = ["The bridge is 77 metres long.", "The bridge was built by Anna Schmidt."];
    let pages: Vec<Page> = texts.iter().map(|text| Page::new(text)).collect();
    let facts: Vec<PageFacts> = pages.iter().map(PageFacts::of).collect();
    let passages: Vec<Vec<Located>> = pages.iter().map(|page| locate(claim, page, MOST)).collect();
    let sources: Vec<Source<'_>> = pages
        .iter()
        .zip(&facts)
        .zip(&passages)
        .map(|((page, facts), passages)| Source { page, facts, passages, context: Context::default() })
        .collect();
    let one = compare(claim, &sources[1]);
    assert!(
        one.remarks.iter().any(|remark| remark.aspect == Aspect::Number && remark.finding == Finding::Absent)
    );
    let both = compare_all(claim, &sources);
    assert!(both.remarks.iter().all(|remark| remark.finding == Finding::Agrees), "{:#?}", both.remarks);
    assert_eq!(both.leaning, Leaning::Open);
    assert_eq!(compare_all(claim, &[]).leaning, Leaning::NotInSource);
}

#[test]
fn a_page_about_something_else_is_not_the_source() {
    let page = "The recipe needs flour, sugar and butter. Bake it for an hour. Serve it warm with cream.";
    let comparison = compared(
        "Quarterly revenue of Siemens Energy grew because of turbine orders.",
        page,
        Context::default(),
    );
    assert_eq!(comparison.leaning, Leaning::NotInSource, "{comparison:#?}");
}

#[test]
fn a_bare_figure_elsewhere_does_not_bear_out_another_unit() {
    let page =
        "Timeout: 30\nThe default value of 30 seconds is recommended by the standard for slow networks.";
    let claim = "The default value of 30 minutes is recommended by the standard for slow networks.";
    check(claim, page, Aspect::Unit, Some(Finding::Differs));
    let faithful = "The default value of 30 seconds is recommended by the standard for slow networks.";
    check(faithful, page, Aspect::Number, Some(Finding::Agrees));
}

#[test]
fn one_changed_word_of_a_name_is_another_name() {
    let page = "Third parties provide packages of the Apache Web Server for their own platforms.";
    let claim = "Third parties provide packages of the Kowalski Web Server for their own platforms.";
    check(claim, page, Aspect::Name, Some(Finding::Differs));
    let shorter = "Third parties provide packages of the Web Server for their own platforms.";
    check(shorter, page, Aspect::Name, Some(Finding::Agrees));
}
