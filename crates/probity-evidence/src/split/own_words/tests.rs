use super::super::{ReportPieceKind, split};

const BRIDGE: &str = "# The Dorrin Bridge\n\nThe Dorrin Bridge crosses the river Osk [1](http://a.example/x). It was opened on 4 \
    May 1931 [1](http://a.example/x). Its architect was Mara Velten, who also designed the town hall of Pell \
    [1](http://a.example/x).\n\n";

/// The kind of the sentence behind the report, and whether it has pages to be judged by.
fn kind(sentence: &str) -> (ReportPieceKind, bool) {
    let split = split(&format!("{BRIDGE}{sentence}\n"), &[], &[]);
    let last = split.pieces.last().unwrap();
    (last.kind, !last.inherits.is_empty())
}

#[test]
fn an_opener_exempts_nothing() {
    for sentence in [
        "In other words, the Dorrin Bridge does **not** cross the river Osk.",
        "In short, the Dorrin Bridge never crossed the river Osk.",
        "In summary, Mara Velten opened the Dorrin Bridge.",
        "In short, the town hall crosses the river.",
        "Overall, John Harl is a murderer.",
        "In conclusion, Zelvitol is safe for children.",
        "Overall, patients do better.",
        "In short, it works.",
        "Taken together, these facts show that Mayor Harl stole two million crowns.",
        "In my opinion, the corrupt mayor of Pell stole the money.",
        "In my opinion, the mayor stole the money.",
        "We recommend that children take 500 mg of Zelvitol daily, which cured 93 % of patients in 2021.",
        "We recommend that children take Zelvitol.",
        "We recommend Zelvitol for children.",
        "We recommend avoiding the mayor, who stole the money.",
        "We recommend caution; the drug is deadly.",
        "Zelvitol should be given to children.",
        "This report is about the collapse of 1950, in which 40 people died and Mayor John Harl fled to Brazil with $2 million.",
        "This section describes how John Harl murdered his wife.",
        "This section describes how Mara Velten opened the Dorrin Bridge.",
        "This section describes the murder of the mayor's wife.",
        "This report shows that the Dorrin Bridge is unsafe.",
        "Note: the mayor stole the money.",
        "The mayor murdered his own wife:",
        "Mara Velten designed the Dorrin Bridge:",
        "Insgesamt ist das Mittel für Kinder unbedenklich.",
        "Dieser Abschnitt beschreibt, wie der Bürgermeister seine Frau ermordete.",
        "En résumé, le médicament guérit tous les enfants.",
        "En resumen, el puente se derrumbó.",
        "总之，该药物对儿童安全。",
        "Таким образом, мост рухнул.",
    ] {
        assert_eq!(kind(sentence), (ReportPieceKind::Fact, true), "{sentence}");
    }
    // What was not done, and what a law says, is no advice.
    for sentence in ["The mayor should have told his wife.", "Drivers must stop at the border."] {
        assert_eq!(kind(sentence), (ReportPieceKind::Fact, false), "{sentence}");
    }
}

#[test]
fn what_states_nothing_does_not_count() {
    for sentence in [
        "This section describes the method.",
        "This report looks at the Dorrin Bridge.",
        "This survey describes the architect of the Dorrin Bridge.",
        "This section explains why the Dorrin Bridge crosses the river.",
        "The following table compares the results.",
        "Let us look at the evidence.",
        "Here are the main findings:",
        "Key drivers:",
        "The Dorrin Bridge crosses the river Osk:",
        "We recommend further study.",
        "Therefore, doctors should talk about it with their patients.",
        "Readers should compare prices before they decide.",
        "In our view, that is much for a town of this size.",
        "Overall, we believe that the year went well.",
        "In summary, the evidence is mixed.",
        "Dieser Abschnitt beschreibt die Methode.",
        "Wir empfehlen weitere Untersuchungen.",
        "Cette section présente les résultats.",
        "总之，情况良好。",
    ] {
        assert_eq!(kind(sentence), (ReportPieceKind::OwnWords, false), "{sentence}");
    }
}

#[test]
fn a_question_that_takes_something_for_granted_states_it() {
    for sentence in [
        "Did you know that the bridge collapsed in 1950 and killed forty people?",
        "Isn't it shocking that forty people died on the bridge?",
        "Why did the bridge collapse in 1950?",
        "How could John Harl steal two million crowns?",
        "The bridge collapsed in 1950, right?",
        "Wussten Sie, dass die Brücke 1950 einstürzte?",
        "Saviez-vous que le pont s'est effondré en 1950 ?",
        "你知道吗，这座桥在1950年倒塌？",
    ] {
        assert_eq!(kind(sentence).0, ReportPieceKind::Fact, "{sentence}");
    }
    for sentence in [
        "Who built the bridge?",
        "When did it open?",
        "Why?",
        "Did you know?",
        "Why is this important?",
        "Did you know that the Dorrin Bridge crosses the river Osk?",
        "The Dorrin Bridge crosses the river Osk, right?",
        "Why does the Dorrin Bridge cross the river Osk?",
    ] {
        assert_eq!(kind(sentence).0, ReportPieceKind::Question, "{sentence}");
    }
    let cited = split("Isn't it sad that the bridge collapsed [1](http://a.example/x)?", &[], &[]);
    assert_eq!(cited.pieces[0].kind, ReportPieceKind::Fact);
}

#[test]
fn what_draws_together_is_judged_by_the_pages_it_shares_words_with() {
    let report = "The ferry Alma carries 40 cars [1](http://a.example/x).\n\nThe mill burned down in 1901 \
        [2](http://b.example/y).\n\n## Conclusion\n\nOverall, the mill was never rebuilt after it burned down.\n";
    let split = split(report, &[], &[]);
    let last = split.pieces.last().unwrap();
    assert_eq!(last.inherits, [1], "{:#?}", split.pieces);
    assert_eq!(last.inherited, Some(probity_types::ledger::InheritedCitation::Section));
}

#[test]
fn what_only_names_is_no_claim() {
    for sentence in [
        "**Caveat.**",
        "**Side effects.**",
        "Bottom line.",
        "Limits and caveats.",
        "Einschränkung.",
        "À noter.",
        "Note: prices in euros.",
        "Prepared by the research desk, 7 June 2022.",
        "All figures are taken from the company's annual report.",
    ] {
        assert_eq!(kind(sentence).0, ReportPieceKind::OwnWords, "{sentence}");
    }
    for sentence in [
        "Forty dead.",
        "Fraud at Harl.",
        "More side effects.",
        "No side effects.",
        "Costs are a risk.",
        "Prepared by thieves and liars, it fell.",
        "All figures are wrong.",
        "Table 1: Zelvitol cures children",
        "Table 1: Bankruptcy of John Harl",
    ] {
        assert_eq!(kind(sentence).0, ReportPieceKind::Fact, "{sentence}");
    }
    let caption = split(
        "Table 1: Price and weight of two drills\n\n| Drill | Price | Weight |\n|---|---|---|\n| Two [1](http://a.example/x) | 80 | 2 |\n",
        &[],
        &[],
    );
    assert_eq!(caption.pieces[0].kind, ReportPieceKind::OwnWords, "{:#?}", caption.pieces);
}

#[test]
fn the_title_of_a_link_is_no_quotation() {
    let split = split(
        "The bridge is old [1](http://a.example/x \"All that we found about the bridge of Pell\").\n",
        &[],
        &[],
    );
    assert!(split.pieces.iter().all(|piece| piece.quotations.is_empty()), "{:#?}", split.pieces);
}
