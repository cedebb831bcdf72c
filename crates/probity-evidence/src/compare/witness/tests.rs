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
