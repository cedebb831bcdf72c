//! Claims that stand alone: labels, citations that are taken over, headings, headers and the sentences before.

use super::{ReportPieceKind, SplitReport, split};

fn facts(split: &SplitReport) -> Vec<&super::ReportPiece> {
    split.pieces.iter().filter(|piece| piece.kind == ReportPieceKind::Fact).collect()
}

/// The words of every fact, and the names of those who report it.
#[track_caller]
fn check(report: &str, expected: &[&str]) {
    let split = split(report, &[], &[]);
    let told: Vec<String> = facts(&split)
        .iter()
        .map(|piece| match piece.labels.is_empty() {
            true => piece.words.clone(),
            false => format!("{} <{}>", piece.words, piece.labels.join(", ")),
        })
        .collect();
    assert_eq!(told, expected, "{report}");
}

#[test]
fn the_label_of_a_link_is_no_word_of_the_sentence() {
    let u = "](https://a.org/1)";
    for (report, words) in [
        (
            "Output of the mill fell to 40 tonnes [The Harbour Gazette, 2019]U.",
            "Output of the mill fell to 40 tonnes.",
        ),
        ("The ferry carries 90 cars ([Coast Line]U).", "The ferry carries 90 cars."),
        ("The ferry carries 90 cars [two]U.", "The ferry carries 90 cars."),
        ("The ferry carries 90 cars — [Coast Line Operators]U.", "The ferry carries 90 cars —."),
        (
            "The lock lifts 300 tonnes [World Canal Board 2021]U, twice a day.",
            "The lock lifts 300 tonnes, twice a day.",
        ),
        (
            "The share had been 61 % [see the canal page][c].\n\n[c]: https://a.org/1",
            "The share had been 61 %.",
        ),
        (
            "Der Damm fasst 45 Millionen Kubikmeter [Wasserwerk Lindau]U.",
            "Der Damm fasst 45 Millionen Kubikmeter.",
        ),
        ("Le pont mesure 410 mètres [Le Courrier, 2020]U.", "Le pont mesure 410 mètres."),
        ("La fábrica emplea a 300 personas [Diario del Sur]U.", "La fábrica emplea a 300 personas."),
        ("该厂年产量为40吨[海港日报]U。", "该厂年产量为40吨。"),
        ("工場は300人を雇用している[港湾新聞]U。", "工場は300人を雇用している。"),
        ("يعمل في المصنع 300 شخص [صحيفة الميناء]U.", "يعمل في المصنع 300 شخص."),
    ] {
        check(&report.replace("]U", u), &[words]);
    }
}

#[test]
fn a_link_that_the_sentence_needs_stays() {
    let u = "](https://a.org/1)";
    for (report, words) in [
        ("The [lock lifts 300 tonnes]U in one step.", "The lock lifts 300 tonnes in one step."),
        ("The mill was built by [Arden Works]U.", "The mill was built by Arden Works."),
        ("The reservoir holds [45 million cubic metres]U.", "The reservoir holds 45 million cubic metres."),
        ("Die Anlage erzeugt [Strom für 40 Haushalte]U.", "Die Anlage erzeugt Strom für 40 Haushalte."),
        ("该公司收购了[北岸食品]U。", "该公司收购了北岸食品。"),
        ("In 1904 [Arden bought the mill]U.", "In 1904 Arden bought the mill."),
        (
            "As [Nordic Wire]U reported, sales fell to 3 million.",
            "As Nordic Wire reported, sales fell to 3 million. <Nordic Wire>",
        ),
        (
            "As [Nordic Wire reported]U, sales fell.",
            "As Nordic Wire reported, sales fell. <Nordic Wire reported>",
        ),
        (
            "According to [the Coast Board]U, 12 ferries run.",
            "According to the Coast Board, 12 ferries run. <the Coast Board>",
        ),
        (
            "Laut [Nordpost]U sank der Umsatz auf 3 Millionen.",
            "Laut Nordpost sank der Umsatz auf 3 Millionen. <Nordpost>",
        ),
        ("据[北方报]U报道，销售额下降到300万。", "据北方报报道，销售额下降到300万。 <北方报>"),
    ] {
        check(&report.replace("]U", u), &[words]);
    }
}

#[test]
fn a_link_behind_the_full_stop_belongs_to_the_sentence_before() {
    for report in [
        "The mill burned down in 1901. [Nordic Wire](https://a.org/1) It was rebuilt in 1904. [Coast Line](https://a.org/2)",
        "The mill burned down in 1901. [Nordic Wire](https://a.org/1) Arden Works rebuilt it in 1904. [Coast Line](https://a.org/2)",
        "The mill burned down in 1901. [Arden results](https://a.org/1) Shareholders rebuilt it in 1904 ([Coast Line](https://a.org/2)).",
        "Der Turm brannte 1901 ab. [Nordpost](https://a.org/1) Er wurde 1904 neu gebaut. [Küstenblatt](https://a.org/2)",
        "塔于1901年烧毁。[北方报](https://a.org/1)它于1904年重建。[海岸报](https://a.org/2)",
    ] {
        let split = split(report, &[], &[]);
        let cites: Vec<&[usize]> = facts(&split).iter().map(|piece| piece.cites.as_slice()).collect();
        assert_eq!(cites, [&[0][..], &[1][..]], "{report}: {:#?}", split.pieces);
        assert!(!split.pieces.iter().any(|piece| piece.words.contains("Nord")), "{report}");
    }
    check(
        "It burned. [Arden](https://a.org/1) chief Lund said it was arson.",
        &["It burned.", "Arden chief Lund said it was arson."],
    );
}

/// Which facts take a citation over, and from where.
#[track_caller]
fn check_inherited(report: &str, expected: &str) {
    let split = split(report, &[], &[]);
    let told: Vec<String> = facts(&split)
        .iter()
        .map(|piece| match (piece.inherited, piece.cites.is_empty()) {
            (Some(place), _) => format!("{place:?}{:?}", piece.inherits),
            (None, true) => "none".to_owned(),
            (None, false) => format!("own{:?}", piece.cites),
        })
        .collect();
    assert_eq!(told.join(" "), expected, "{report}");
}

#[test]
fn sentences_without_a_citation_take_over_what_stands_by() {
    check_inherited(
        "The quay has 24 berths. It cost 940 million. It opened in 2019 [1](https://a.org/1). Nobody came.",
        "Paragraph[0] Paragraph[0] own[0] none",
    );
    check_inherited(
        "码头有24个泊位。它耗资9亿。它于2019年开放[1](https://a.org/1)。",
        "Paragraph[0] Paragraph[0] own[0]",
    );
    check_inherited("Die Fähre trägt 40 Autos.\n\nSie fährt seit 1990 [1](https://a.org/1).", "none own[0]");
    check_inherited(
        "The ferries carry per trip [1](https://a.org/1):\n\n- Alma: 40 cars\n- Berta: 60 cars [2](https://a.org/2)\n",
        "own[0] List[0] own[1]",
    );
    // What cited an address that was taken out takes over nothing, and neither does what stands before it.
    check_inherited(
        "The quay is long. It has 24 berths (address not found). It opened in 2019 [1](https://a.org/1).",
        "none none own[0]",
    );
    // An item that names the sources of the items beside it, a line at the end of a section, a heading that cites.
    check_inherited(
        "- Alma\n  - It carries 40 cars.\n  - Sources: [Coast Line](https://a.org/1)\n- Berta\n  - It carries 60 cars.\n",
        "List[0] none",
    );
    check_inherited(
        "- It carries 40 cars.\n- It carries 60 bicycles. (Sources: [1](https://a.org/1) [2](https://a.org/2))\n",
        "List[0, 1] Paragraph[0, 1]",
    );
    check_inherited(
        "## Alma\n\nIt carries 40 cars.\n\nIt has two decks.\n\nSources: [1](https://a.org/1)\n\n## Berta\n\nIt carries 60 cars.\n",
        "Section[0] Paragraph[0] none",
    );
    check_inherited(
        "## Alma [1](https://a.org/1)\n\nIt carries 40 cars.\n\n## Berta\n\nIt is old.\n",
        "Section[0] none",
    );
    for note in [
        "| Ferry | Cars |\n|---|---|\n| Alma | 40 |\n\nSource: [Coast Line](https://a.org/1)",
        "Table 1: Ferries and cars [1](https://a.org/1)\n\n| Ferry | Cars |\n|---|---|\n| Alma | 40 |",
        "| Ferry | Cars [1](https://a.org/1) |\n|---|---|\n| Alma | 40 |",
        "## Ferries [1](https://a.org/1)\n\n| Ferry | Cars |\n|---|---|\n| Alma | 40 |",
        "It shows the ferries of the north. [1](https://a.org/1)\n\n| Ferry | Cars |\n|---|---|\n| Alma | 40 |",
        "La tabla resume los transbordadores. [Puerto](https://a.org/1)\n\n| Barco | Coches |\n|---|---|\n| Alma | 40 |",
    ] {
        let split = split(note, &[], &[]);
        let row = split.pieces.iter().find(|piece| piece.words.contains("Alma")).unwrap();
        assert_eq!(row.inherits, [0], "{note}: {:#?}", split.pieces);
    }
}

#[test]
fn author_and_year_mean_an_entry_and_entries_claim_nothing() {
    let report = "Work on the mill began in 1898 (Arden Institute, 2006). It is old (Lund & Berg, 2010).\n\n\
        ## References\n\nArden Institute (2006). The mill: a history. https://a.org/1\n\n\
        Lund, P. & Berg, A. (2010). Boats of the north. Coast Press.\n";
    let split = split(report, &[], &[]);
    let cites: Vec<&[usize]> = facts(&split).iter().map(|piece| piece.cites.as_slice()).collect();
    assert_eq!(cites, [&[0][..], &[1][..]], "{:#?}", split.pieces);
    assert_eq!(split.cited[0].url, "https://a.org/1");
}

#[test]
fn a_claim_knows_what_a_reader_knows() {
    let report = "# Harbours\n\n## The Norwick quay\n\nThe quay of Norwick has 24 berths. It cost 940 million. The two \
        cranes of Norwick lift:\n\n- 40 tonnes\n  - in good weather\n\n## Ferries\n\n| Ferry | Price (million euros) |\n|---|---|\n\
        | Alma | 180 |\n";
    let split = split(report, &[], &[]);
    let told = |words: &str| {
        let piece = split.pieces.iter().find(|piece| piece.words.contains(words)).unwrap();
        let say = |place: usize| split.pieces[place].words.clone();
        let headings: Vec<String> = piece.around.headings.iter().map(|place| say(*place)).collect();
        let before: Vec<String> = piece.around.before.clone().map(say).collect();
        format!(
            "{} | {} | {}",
            headings.join(" > "),
            piece.around.stem.map(say).unwrap_or_default(),
            before.join(" ")
        )
    };
    assert_eq!(told("940 million"), "Harbours > The Norwick quay |  | The quay of Norwick has 24 berths.");
    assert_eq!(told("40 tonnes"), "Harbours > The Norwick quay | The two cranes of Norwick lift: | ");
    assert_eq!(told("in good weather"), "Harbours > The Norwick quay | 40 tonnes | ");
    assert_eq!(told("Alma"), "Harbours > Ferries |  | ");
    check(
        "| Ferry | Price (million euros) |\n|---|---|\n| Alma | 180 |\n",
        &["Ferry: Alma; Price: 180 million euros"],
    );
}

#[test]
fn what_only_leads_to_a_list_claims_nothing_and_lends_its_source() {
    let items = "\n\n- The mill made 40 tonnes.\n- It burned down in 1901.\n";
    for lead in ["According to the [Harbour Gazette](https://a.org/1):", "Laut [Nordpost](https://a.org/1):"]
    {
        let split = split(&format!("{lead}{items}"), &[], &[]);
        let told: Vec<_> = facts(&split).iter().map(|piece| (&*piece.words, &*piece.cites)).collect();
        let source: &[usize] = &[0];
        assert_eq!(
            told,
            [("The mill made 40 tonnes.", source), ("It burned down in 1901.", source)],
            "{lead}"
        );
    }
    for lead in ["According to the Gazette, the mill was sold in parts:", "According to the 12 heirs:"] {
        assert_eq!(facts(&split(&format!("{lead}{items}"), &[], &[])).len(), 3, "{lead}");
    }
}

#[test]
fn a_heading_that_cites_and_counts_is_a_claim() {
    for (heading, facts) in [
        ("[Norland produced 512 terawatt hours in 2024](https://a.org/1)", 1),
        ("Norland produced 512 terawatt hours [E](https://a.org/1)", 1),
        ("Phase 3 trials of the vaccine [E](https://a.org/1)", 0),
        ("Energy in 2024 [E](https://a.org/1)", 0),
    ] {
        let split = split(&format!("## {heading}\n"), &[], &[]);
        assert_eq!(self::facts(&split).len(), facts, "{heading}");
    }
}

#[test]
fn captions_are_read_and_notices_of_the_program_are_not() {
    check(
        "![Output of the mill fell to 40 tonnes](https://a.org/i.png)",
        &["Output of the mill fell to 40 tonnes"],
    );
    check("![logo](https://a.org/i.png)", &[]);
    check(
        "> This brief is made of quotations, word for word from the pages named; no language model wrote it.\n\n\
         The mill made 40 tonnes. *(no source)*\n\n## About this report\n\n- 3 of 9 searches failed (first: Brave).\n\n\
         ## Sources\n\n1. Mill: https://a.org/1\n",
        &["The mill made 40 tonnes."],
    );
    check(
        "> Zu diesem Teil wurde nichts gefunden.\n\nDie Mühle lieferte 40 Tonnen. *(ohne Quelle)*\n\n\
         ## Über diesen Bericht\n\n- 3 of 9 searches failed (first: Brave).\n\n## Quellen\n\n1. Mühle: https://a.org/1\n",
        &["Die Mühle lieferte 40 Tonnen."],
    );
    check(
        "## About this report\n\n- Arden made 40 tonnes.\n\n## More\n\nArden made 50.",
        &["Arden made 40 tonnes.", "Arden made 50."],
    );
}
