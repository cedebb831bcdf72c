use probity_research::{
    cost::{MicroUsd, Usage},
    inquiry::{Block, QuoteId},
    web::{
        Bill, BillBasis,
        task::{WebRequest, WebTaskOutput},
    },
};

use super::{AnswerForm, SaidText, read, sample::requests, schema::InquiryCallKind, together};

fn said(name: &str, form: AnswerForm, text: &str) -> Result<WebTaskOutput, String> {
    let is_it = |ask: &WebRequest| InquiryCallKind::of(ask).unwrap().name() == name;
    let ask = requests("A bridge.").into_iter().find(is_it).unwrap();
    read(form, &ask, &SaidText { text: text.to_owned(), cut: false })
}

#[test]
fn lines_say_what_json_would_have_said() {
    for (name, lines, json) in [
        (
            "brief",
            "W | how long\nL | en\nR content | its length\nF | How long is it? | bridge length\n",
            r#"{"reader_wants":"how long","language":"en","requirements":[{"kind":"content","text":"its length"}],
                "facets":[{"question":"How long is it?","query":"bridge length"}]}"#,
        ),
        ("line", "Q | bridge length | figure", r#"{"queries":[{"query":"bridge length","gap":"figure"}]}"#),
        ("line", "D | all is known", r#"{"queries":[],"done":true,"reason":"all is known"}"#),
        (
            "survey",
            "Sure:\n- Q forecast | Norwick | 412 | 1987 | F1,F2\nV | Norwick | length | 412 | metres |\nL | 1\nT | Anna Berg",
            r#"{"quotes":[{"text":"Norwick | 412 | 1987","facets":["F1","F2"],"role":"forecast","facts":[
                {"entity":"Norwick","attribute":"length","value":"412","unit":"metres"}]}],"links":[1],"new_terms":["Anna Berg"]}"#,
        ),
        (
            "outline",
            "A table | Length | How long? | Q3, Q7\nB N1 | Q3\nW N1 | a date\nD N1\nM | R1",
            r#"{"operations":[{"operation":"add","heading":"Length","question":"How long?","block":"table","quotes":["Q3","Q7"]},
                {"operation":"bind","node":"N1","quotes":["Q3"]},{"operation":"want","node":"N1","wants":["a date"]},
                {"operation":"drop","node":"N1"}],"met":["R1"]}"#,
        ),
        (
            "section",
            "S fact | It is long. | Q3,Q7\nS link | Then it opened. |\nP\n`S inference | So it matters. | Q3`\nI fact | One item. | Q7",
            r#"{"blocks":[{"kind":"paragraph","sentences":[{"text":"It is long.","kind":"fact","quotes":["Q3","Q7"]},
                {"text":"Then it opened.","kind":"link","quotes":[]}]},
                {"kind":"paragraph","sentences":[{"text":"So it matters.","kind":"inference","quotes":["Q3"]}]},
                {"kind":"list","sentences":[{"text":"One item.","kind":"fact","quotes":["Q7"]}]}]}"#,
        ),
        (
            "synthesis",
            "H | What follows\nS trend | It grows. | C1,C4",
            r#"{"heading":"What follows","points":[{"text":"It grows.","rests_on":["C1","C4"],"move":"trend"}]}"#,
        ),
        (
            "front",
            "T | Bridges\nA | It is long. | C1\nK | It is old. | C4",
            r#"{"title":"Bridges","answer":[{"text":"It is long.","claims":["C1"]}],"key_points":[{"text":"It is old.","claims":["C4"]}]}"#,
        ),
    ] {
        let (lines, json) = (said(name, AnswerForm::Lines, lines), said(name, AnswerForm::Json, json));
        assert!(lines.is_ok(), "{name}: {lines:?}");
        assert_eq!(lines, json, "{name}");
    }
}

#[test]
fn prose_is_neither_json_nor_lines() {
    for name in ["brief", "line", "survey", "outline", "section", "synthesis", "front"] {
        for form in AnswerForm::IN_ORDER {
            let found =
                said(name, form, "I think that A bridge is long. S is a letter.\nAll of it | or nothing.");
            assert!(found.is_err(), "{name} {form:?}: {found:?}");
        }
    }
}

#[test]
fn a_section_that_breaks_off_keeps_its_sentences_and_says_so() {
    let cut = r#"{"blocks":[{"kind":"paragraph","sentences":[{"text":"It is long.","kind":"fact","quotes":["Q3"]},{"text":"It wa"#;
    let WebTaskOutput::Sectioned(section) = said("section", AnswerForm::Json, cut).unwrap() else {
        panic!("none")
    };
    let [Block::Paragraph { sentences }] = section.blocks.as_slice() else { panic!("{section:?}") };
    assert_eq!(
        (sentences.len(), sentences[0].quotes.as_slice(), section.cut),
        (1, [QuoteId(3)].as_slice(), true)
    );
}

#[test]
fn the_bill_of_several_calls_is_their_sum_and_no_surer_than_its_parts() {
    let counted = |cost| Bill::counted(MicroUsd(cost), Usage::NONE);
    assert_eq!(together(Bill::NOTHING, counted(5)), counted(5));
    assert_eq!(together(counted(2), counted(5)), counted(7));
    let mixed = together(counted(2), Bill::UNKNOWN);
    assert_eq!((mixed.basis, mixed.cost), (BillBasis::AtLeast, MicroUsd(2)));
    assert_eq!(together(Bill::UNKNOWN, Bill::UNKNOWN).basis, BillBasis::Unknown);
}
