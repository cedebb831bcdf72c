//! Questions in parts, and what of them is told.

use super::{AskedPart, facets, is_about_form, is_announcement, parts, title, topic};
use crate::inquiry::gaps::ToldThings;

fn told(texts: &[&str]) -> ToldThings {
    let mut told = ToldThings::default();
    texts.iter().for_each(|text| told.add(text));
    told
}

#[test]
fn instructions_on_form_are_no_parts() {
    for form in [
        "Write the report in English.",
        "Write the report in English, about 2500 words long.",
        "Where sources disagree, show both sides.",
        "Say which figures are out of date and what could not be found.",
        "Schreibe den Bericht auf Deutsch.",
        "Schreib etwa 500 Wörter.",
        "请用中文回答。",
    ] {
        assert!(is_about_form(form), "{form}");
    }
    for part in [
        "Who wrote the report on the Orion Pier in English?",
        "What is known about the ports?",
        "Write about the history of the Orion Pier in 500 words.",
        "Which vaccines are out of date?",
        "Vergleiche die Getreideemission von Maridal Wharf mit der von Velangard Quay im Jahr 2024.",
    ] {
        assert!(!is_about_form(part), "{part}");
    }
}

#[test]
fn a_topic_has_no_instruction() {
    for (text, expected) in [
        (
            "Compare the coastal tariff of Orion Pier with that of Vega Pier in 2024.",
            "the coastal tariff of Orion Pier and that of Vega Pier in 2024",
        ),
        ("Include a table of the guest tariff of Orion Pier.", "the guest tariff of Orion Pier"),
        ("Cover tariffs and emissions.", "tariffs, emissions"),
        ("Cover crops", "Cover crops"),
        ("Who paid for it?", "Who paid for it?"),
        ("Comparison of piers.", "Comparison of piers."),
    ] {
        assert_eq!(topic(text), expected);
    }
}

#[test]
fn a_title_is_what_the_writer_says_or_the_question_in_whole_words() {
    let question = "What is known about the ports of the coast?";
    assert_eq!(title("Ports of the coast", question), "Ports of the coast");
    assert_eq!(title("Report", question), question);
    assert_eq!(title("What is known about the ports of the coast", question), question);
    let longer =
        format!("{question} Write the report in English, about two thousand and five hundred words long.");
    assert_eq!(title("", &longer), question);
    let endless = "pier ".repeat(60);
    let cut = title("", &endless);
    assert!(cut.ends_with("pier") && !cut.contains('…') && cut.chars().count() <= 90, "{cut}");
}

#[test]
fn every_part_of_a_question_is_known_beside_the_whole() {
    let question = "What is known about the ports? Cover tariffs, emissions, and whatever else the sources treat.\n\
                    Write the report in English, about 2500 words long.\nSay also what is known of:\n\
                    - the deck depth of Orion Dock in 2024\n- the test depth of Vega Terminal";
    assert_eq!(
        parts(question),
        ["tariffs", "emissions", "the deck depth of Orion Dock in 2024", "the test depth of Vega Terminal"]
    );
    let named: Vec<String> = facets(question, 9).into_iter().map(|facet| facet.question).collect();
    assert!(named.iter().all(|part| !part.starts_with("Write") && !part.starts_with("Cover")), "{named:?}");
    assert!(parts("How do the river plants compare?").is_empty());
    assert_eq!(
        parts("Was ist bekannt? Behandle Emissionen, Ausfälle und Erträge."),
        ["Emissionen", "Ausfälle", "Erträge"]
    );
}

#[test]
fn a_part_is_open_until_something_tells_it() {
    let report = told(&["Maridal Wharf meldete für 2024 eine Getreideemission von 89,1 Tonnen."]);
    let open = |text: &str| AskedPart::new(text).open(&report);
    assert!(open("Emissionen").is_empty(), "inside a longer word");
    assert_eq!(open("Ausfälle"), ["Ausfälle"]);
    let compared = "die Getreideemission von Maridal Wharf und die von Velangard Quay im Jahr 2024";
    assert_eq!(open(compared), ["Velangard Quay (getreideemission)"]);
    let other_year = "die Getreideemission von Maridal Wharf im Jahr 2020";
    assert_eq!(open(other_year), [other_year]);
    let english = told(&["In 2022 the spring depth of Orion Pier was 17.5 metres."]);
    assert!(AskedPart::new("the spring depth of Orion Pier in 2022").open(&english).is_empty());
    assert_eq!(AskedPart::new("the guest tariff of Orion Pier").open(&english).len(), 1);
}

#[test]
fn the_sentence_that_announces_a_list_of_topics_is_no_part() {
    let listed =
        "What is known about the ports of the coast? Cover tariffs, emissions, and whatever else is told.";
    assert!(is_announcement(listed, "What is known about ports coast?"));
    assert!(!is_announcement(listed, "What is known about tariffs?"));
    let two = "When was the Orlo dam built? Who built it?";
    assert!(!is_announcement(two, "When was the Orlo dam built?"));
}
