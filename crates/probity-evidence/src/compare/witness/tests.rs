mod changed_places;
mod kinds;

use crate::{
    compare::{ComparisonAspect, ComparisonContext, ComparisonSource, PageFacts, compare},
    locate::locate,
    page::IndexedPage,
};

fn doubts(claim: &str, page: &str) -> Vec<(ComparisonAspect, String)> {
    let page = IndexedPage::new(page);
    let facts = PageFacts::of(&page);
    let passages = locate(claim, &page, 5);
    let context = ComparisonContext::default();
    let source = ComparisonSource { page: &page, facts: &facts, passages: &passages, context };
    compare(claim, &source).doubts.into_iter().map(|doubt| (doubt.aspect, doubt.reason)).collect()
}

#[track_caller]
fn check(claim: &str, page: &str, expected: ComparisonAspect) {
    let found = doubts(claim, page);
    assert!(found.iter().any(|(aspect, _)| *aspect == expected), "{claim}: {found:#?}");
}

#[track_caller]
fn silent(claim: &str, page: &str) {
    let found = doubts(claim, page);
    assert!(found.is_empty(), "{claim}: {found:#?}");
}

const HARBOUR: &str = "The harbour of Velm handled 52,000 containers in 2019 and 47,500 in 2023. Ships may wait for up to 14 hours. \
    Harbour master Ida Ronk said most delays were linked to fog. The council approved a second pier.";

#[test]
fn comparisons_are_read_from_the_figures() {
    check(
        "The harbour of Velm handled more containers in 2023 than in 2019.",
        HARBOUR,
        ComparisonAspect::Comparison,
    );
    silent("The harbour of Velm handled fewer containers in 2023 than in 2019.", HARBOUR);
    check("The harbour of Velm handled 52,000 containers in 2023.", HARBOUR, ComparisonAspect::Scope);
}

#[test]
fn opposites_are_noticed_in_several_languages() {
    check("The council rejected a second pier.", HARBOUR, ComparisonAspect::Polarity);
    for (claim, page) in [
        (
            "Der Stadtrat lehnte die neue Brücke ab, sie wurde abgelehnt.",
            "Der Stadtrat hat die neue Brücke genehmigt.",
        ),
        ("Le conseil a rejeté le nouveau pont.", "Le conseil a approuvé le nouveau pont hier."),
        ("El ayuntamiento rechazó el nuevo puente.", "El ayuntamiento aprobó el nuevo puente ayer."),
        ("Il consiglio ha bocciato il nuovo ponte.", "Il consiglio ha approvato il nuovo ponte ieri."),
        ("Совет отклонил новый мост.", "Совет одобрил новый мост вчера."),
        ("市议会否决了新桥项目。", "市议会昨天批准了新桥项目。"),
        ("市議会は新しい橋の計画を否決した。", "市議会は新しい橋の計画を可決した。"),
        ("رفض المجلس الجسر الجديد.", "وافق المجلس على الجسر الجديد أمس."),
    ] {
        check(claim, page, ComparisonAspect::Polarity);
    }
}

#[test]
fn stronger_words_than_the_page_has_are_noticed() {
    check("All delays in the harbour were linked to fog.", HARBOUR, ComparisonAspect::Scope);
    check("Ships wait for 14 hours.", HARBOUR, ComparisonAspect::Comparison);
    check(
        "Walking to school improves the marks of pupils.",
        "Walking to school was associated with better marks of pupils. The study is observational.",
        ComparisonAspect::Scope,
    );
    check(
        "La fábrica abrirá en Lugo y cierra la antigua.",
        "La fábrica podría abrir en Lugo y cerrar la antigua.",
        ComparisonAspect::Hedge,
    );
}

#[test]
fn another_name_or_speaker_is_noticed() {
    check("Harbour master Ida Ronke said most delays were linked to fog.", HARBOUR, ComparisonAspect::Name);
    check(
        "Tove Lind said that the pier would be finished in spring.",
        "Engineer Karl Moe said the pier would be finished in spring. Tove Lind spoke about fish.",
        ComparisonAspect::Attribution,
    );
    check(
        "Novak Foods agreed to buy Berin.",
        "Berin agreed to buy Novak Foods last week.",
        ComparisonAspect::Attribution,
    );
}

#[test]
fn shares_are_compared_with_what_the_figures_make() {
    let page = "Of the 480 farms, 160 use drip irrigation. The others flood their fields.";
    silent("A third of the 480 farms use drip irrigation.", page);
    check("Half of the farms use drip irrigation.", page, ComparisonAspect::Number);
    check(
        "The share of drip irrigation rose by 8 percent.",
        "The share of drip irrigation rose from 20 % to 28 %.",
        ComparisonAspect::Unit,
    );
}

#[test]
fn a_cell_belongs_to_its_row() {
    let page = "Town | Schools | Budget (EUR)\nArvik | 12 | 8,400\nBolden | 19 | 9,100\nCarst | 7 | 5,200";
    check("Arvik has 19 schools.", page, ComparisonAspect::Scope);
    silent("Bolden has 19 schools.", page);
}

#[test]
fn cells_are_compared_and_ranked() {
    let page = "Town | Schools | Budget (EUR)\nArvik | 12 | 8,400\nBolden | 19 | 9,100\nCarst | 7 | 5,200";
    check("Arvik has 15 schools.", page, ComparisonAspect::Number);
    check("Of all towns, Arvik has the highest number of schools.", page, ComparisonAspect::Comparison);
    check("There are more schools in Carst than in Arvik.", page, ComparisonAspect::Comparison);
    silent("There are more schools in Bolden than in Arvik.", page);
    let list = "Porto: 340 employees\nGhent: 520 employees\nLinz: 75 employees";
    check("The plant in Porto has 520 employees.", list, ComparisonAspect::Scope);
    silent("The plant in Ghent has 520 employees.", list);
}

#[test]
fn another_of_its_kind_is_noticed_in_several_languages() {
    for (claim, page) in [
        ("The ferry to Velm runs every hour.", "The tram to Velm runs every hour from May."),
        ("Die Fähre nach Velm verkehrt jede Stunde.", "Die Straßenbahn nach Velm verkehrt jede Stunde."),
        ("La sécheresse a détruit les récoltes de Velm.", "Une inondation a détruit les récoltes de Velm."),
        ("Засуха уничтожила урожай в долине.", "Наводнение уничтожило урожай в долине."),
        ("委员会认为干旱毁坏了山谷的庄稼。", "委员会认为洪水毁坏了山谷的庄稼。"),
    ] {
        check(claim, page, ComparisonAspect::Scope);
    }
    silent("The tram to Velm runs every hour.", "The tram to Velm runs every hour from May.");
}

#[test]
fn a_claim_in_another_language_is_compared_by_what_the_lists_know() {
    let page = "Der Stadtrat von Velm hat 2021 die neue Brücke abgelehnt.";
    check("The council of Velm approved the bridge in 2021.", page, ComparisonAspect::Polarity);
    silent("The council of Velm rejected the bridge in 2021.", page);
}

#[test]
fn a_unit_that_stands_once_counts_for_both_figures() {
    check(
        "The area under vines grew between 2010 and 2022.",
        "Between 2010 and 2022 the area under vines went from 48,000 to 31,500 hectares.",
        ComparisonAspect::Comparison,
    );
}

#[test]
fn deeds_that_changed_places_are_noticed() {
    check(
        "The hall was built by Paula Merx and designed by Danforth Brothers.",
        "The hall was designed by the engineer Paula Merx and built by Danforth Brothers.",
        ComparisonAspect::Attribution,
    );
}

#[test]
fn denials_in_other_words_are_no_contradiction() {
    let valley = "Only two of the nine villages in the Arda valley have a doctor. The last pharmacy closed in 2021. Members may not vote by post.";
    silent("There has been no pharmacy in the valley since 2021.", valley);
    check("Members vote by post.", valley, ComparisonAspect::Polarity);
    check("All villages in the Arda valley have a doctor.", valley, ComparisonAspect::Scope);
}

#[test]
fn a_reservation_counts_only_for_what_it_reserves() {
    let page =
        "Ida Ronk appeared in two films of the harbour. The pier could sink if the harbour is not dredged.";
    silent("Ida Ronk was in two films of the harbour.", page);
    check("The pier of the harbour sinks.", page, ComparisonAspect::Hedge);
}

#[test]
fn a_word_of_another_language_has_no_meaning_in_english() {
    // `the` is tea in French, `at` a horse in Turkish.
    silent("The council met at the pier.", "Sugar was sold when the council met at the pier.");
}

#[test]
fn a_figure_has_the_side_that_its_clause_takes() {
    let page = "Die Stadtwerke machten einen Verlust von 4,2 Millionen Euro, nach einem Gewinn von 1,1 Millionen Euro im Jahr davor.";
    check("Die Stadtwerke machten einen Gewinn von 4,2 Millionen Euro.", page, ComparisonAspect::Polarity);
    silent("Die Stadtwerke machten einen Verlust von 4,2 Millionen Euro.", page);
}

#[test]
fn prefixes_and_prepositions_turn_a_statement_round() {
    check(
        "A associação considera as medidas suficientes.",
        "A associação considera as medidas insuficientes.",
        ComparisonAspect::Polarity,
    );
    let page = "Die Konzentration lag weit unter dem Grenzwert.";
    check("Die Konzentration lag weit über dem Grenzwert.", page, ComparisonAspect::Polarity);
    silent("Die Konzentration lag weit unter dem Grenzwert.", page);
}

#[test]
fn names_that_changed_roles_are_noticed() {
    let page = "The museum shows works by Clara Voss, on loan from the Aldous Collection. Engineer Karl Moe wants a second pier. \
        Tove Lind spoke about fish. Unions in Velm welcomed the plan, while farmers fear for their water.";
    check("The Voss Collection lent works to the museum.", page, ComparisonAspect::Name);
    check("Tove Lind wants a second pier.", page, ComparisonAspect::Attribution);
    check("Farmers in Velm welcomed the plan.", page, ComparisonAspect::Attribution);
    silent("Unions in Velm welcomed the plan.", page);
}

#[test]
fn a_year_may_be_named_by_the_date_of_the_page() {
    let of_2024 = |claim: &str| {
        let page = IndexedPage::new("Last year the museum of Velm had no visitors. The east wing is new.");
        let facts = PageFacts::of(&page);
        let passages = locate(claim, &page, 5);
        let context = ComparisonContext { year_published: Some(2024), ..ComparisonContext::default() };
        let source = ComparisonSource { page: &page, facts: &facts, passages: &passages, context };
        let found = compare(claim, &source);
        found.doubts.into_iter().any(|doubt| doubt.aspect == ComparisonAspect::Date)
    };
    assert!(of_2024("The museum of Velm had no visitors in 2022."));
    assert!(!of_2024("The museum of Velm had no visitors in 2023."));
}
