//! Claims that follow from their page in other words, and the wrong ones beside them that must still be noticed.

use super::*;
use crate::locate::locate;

fn compared(claim: &str, page: &str) -> ClaimComparison {
    let page = IndexedPage::new(page);
    let facts = PageFacts::of(&page);
    let passages = locate(claim, &page, 5);
    let context = ComparisonContext::default();
    compare(claim, &ComparisonSource { page: &page, facts: &facts, passages: &passages, context })
}

/// Nothing decides against the claim.
#[track_caller]
fn stands(claim: &str, page: &str) {
    let found = compared(claim, page);
    let against = |remark: &&ComparisonRemark| remark_leaning(remark, found.doubt) > RuleLeaning::Qualified;
    let remarks: Vec<&ComparisonRemark> = found.remarks.iter().filter(against).collect();
    assert!(remarks.is_empty(), "{claim}: {remarks:#?}");
}

#[track_caller]
fn contradicted(claim: &str, page: &str) {
    let found = compared(claim, page);
    assert_eq!(found.leaning, RuleLeaning::Contradicted, "{claim}: {:#?}", found.remarks);
}

/// No witness and no remark says this.
#[track_caller]
fn is_silent_about(claim: &str, page: &str, words: &str) {
    let found = compared(claim, page);
    let said: Vec<&ComparisonRemark> = found
        .doubts
        .iter()
        .chain(&found.remarks)
        .filter(|remark| remark.finding != Comparison::Agrees && remark.reason.contains(words))
        .collect();
    assert!(said.is_empty(), "{claim}: {said:#?}");
}

#[test]
fn a_count_under_a_negation_is_another_count() {
    let ferry = "The crew rescued 52 passengers of the ferry, among them nineteen students.";
    stands("Of the passengers of the ferry that the crew rescued, 33 were not students.", ferry);
    contradicted("The 52 passengers that the crew of the ferry rescued were not students.", ferry);
    let team = "The Herons finished the final with nine players.";
    stands("The Herons did not finish the final with eleven players.", team);
    contradicted("The Herons did not finish the final with nine players.", team);
}

#[test]
fn two_negations_ask_for_what_they_name() {
    let page = "The crane can be hired, provided that a permit of the harbour is shown.";
    stands("The crane cannot be hired without a permit of the harbour.", page);
    contradicted("The crane cannot be hired, a permit of the harbour is shown.", page);
}

#[test]
fn a_contrast_denies_only_one_of_two() {
    let page = "Ida Ronk drew the first map of Velm, which Tom Hale printed.";
    stands("Ida Ronk, not Tom Hale, drew the first map of Velm.", page);
}

#[test]
fn the_year_before_is_the_one_before_the_sentences_own() {
    let page = "朝霧線の2022年度の乗客は310万人で、前年度より40万人増えた。";
    stands("朝霧線の2021年度の乗客は270万人だった。", page);
    contradicted("朝霧線の2021年度の乗客は310万人だった。", page);
    let page = "In 2022 the museum had 310,000 visitors, 40,000 more than a year earlier.";
    stands("In 2021 the museum had 270,000 visitors.", page);
    let page = "Das Museum hatte 2022 insgesamt 900 Mitglieder, 60 mehr als im Vorjahr.";
    stands("Das Museum hatte 2021 insgesamt 840 Mitglieder.", page);
}

#[test]
fn yesterday_is_the_day_before_the_one_that_the_page_writes() {
    let page = "Velm, 1 de marzo de 2024. El incendio ocurrió ayer en el puerto.";
    stands("El incendio en el puerto ocurrió el 29 de febrero de 2024.", page);
}

#[test]
fn a_claim_in_another_language_is_not_refuted_by_its_words() {
    let page = "W sobotę otwarto w Velmie nowy most. Jego budowa trwała trzy lata i kosztowała 38 milionów złotych. \
        Połowę tej sumy pokryła gmina, a resztę zapłacił powiat. Most jest szeroki i ma ścieżkę dla rowerów.";
    for claim in [
        "The other half of the cost of the bridge was paid by the county.",
        "Cyclists have their own lane on the new bridge of the town.",
    ] {
        let found = compared(claim, page);
        assert_eq!(found.doubt, 0.0, "{claim}");
        stands(claim, page);
    }
}

#[test]
fn a_unit_in_a_header_belongs_to_its_cells() {
    let page = "The results of the year.\nBranch | Sales 2020 (£m) | Sales 2021 (£m)\nBoats | 31 | 46\nSails | 12 | 17\n\
        Ropes | 9 | 5\nThat was the year.";
    stands("Boats had sales of £46 million in 2021.", page);
    let wrong = compared("Ropes had sales of £46 million in 2021.", page);
    assert!(
        wrong
            .doubts
            .iter()
            .any(|doubt| doubt.reason.contains("table has 5") || doubt.reason.contains("Boats")),
        "{:#?}",
        wrong.doubts
    );
}

#[test]
fn other_words_are_not_taken_for_causes_hedges_or_parts() {
    is_silent_about(
        "Il rifugio si trova a quasi due chilometri sopra il mare.",
        "Il rifugio si trova a 1.950 metri di altitudine. Il sentiero è aperto da giugno.",
        "gives a cause",
    );
    is_silent_about(
        "At half-time the score of the final was one all.",
        "The Herons scored first in the final; the score at half-time was 1-1. In the second half they won.",
        "\"half\"",
    );
    is_silent_about(
        "Ida Ronk left the school of Velm without a diploma.",
        "As a woman Ida Ronk could not take a diploma of the school of Velm.",
        "hedges",
    );
    is_silent_about(
        "Annie Nowak nie podoba się nowy most w mieście, który jest za wąski.",
        "Radna Anna Nowak skrytykowała nowy most w mieście, który jest za wąski dla rowerów.",
        "Anna Nowak where",
    );
    is_silent_about(
        "Velm's mayor says that the dam was opened too late.",
        "Mayor Lotte Arden said that the dam was opened too late.",
        "Velm's",
    );
}

#[test]
fn a_name_in_another_script_is_not_missing() {
    let found = compared("The Asagiri Line has 14 stations.", "朝霧線は全長36キロの私鉄で、駅は14ある。");
    assert!(found.remarks.iter().all(|remark| remark.aspect != ComparisonAspect::Name), "{found:#?}");
}

#[test]
fn digits_behind_a_scale_are_one_number() {
    let read = |text: &str| crate::value::values(text).numbers.first().map(|number| number.value);
    assert_eq!(read("4万1500人の観客"), Some(41_500.0));
    assert_eq!(read("1億2000万円"), Some(120_000_000.0));
    assert_eq!(read("4만1500명"), Some(41_500.0));
    assert_eq!(read("4万人"), Some(40_000.0));
}

#[test]
fn parts_of_a_whole_are_shares() {
    use crate::value::share::{ShareWord, shares};
    for (text, share) in [
        ("three out of five guests", Some(0.6)),
        ("drei von funf gasten", Some(0.6)),
        ("deux huitres sur cinq", Some(0.4)),
        ("tres de cada cinco casas", Some(0.6)),
        ("seven of the guests", None),
        ("a in ten", None),
    ] {
        let read = crate::words::words(text);
        let listed: Vec<ShareWord<'_>> = read
            .iter()
            .map(|word| ShareWord { start: word.start, end: word.end, plain: &word.folded })
            .collect();
        let found = shares(text, &listed).first().map(|share| share.value);
        assert_eq!(found, share, "{text}");
    }
}

#[test]
fn a_denial_of_another_part_leaves_the_claim_alone() {
    for (claim, page) in [
        ("The atlas was printed in four towns.", "The atlas was printed in four towns, but not in Velm."),
        (
            "Der Atlas erschien in vier Sprachen.",
            "Der Atlas erschien in vier Sprachen, aber nicht auf Polnisch.",
        ),
        ("L'atlas est vendu dans quatre villes.", "L'atlas est vendu dans quatre villes, mais pas à Velm."),
        ("El atlas se vende en cuatro ciudades.", "El atlas se vende en cuatro ciudades, pero no en Velm."),
        ("Атлас издан на четырёх языках.", "Атлас издан на четырёх языках, но не на польском."),
        ("地图集有四种语言版本。", "地图集有四种语言版本，但没有荷兰文版。"),
        (
            "The east pier was flooded in the storm.",
            "Unlike the east pier, the lighthouse was not flooded in the storm.",
        ),
        (
            "Die Mühle wurde im Sturm zerstört.",
            "Im Gegensatz zur Mühle wurde der Turm im Sturm nicht zerstört.",
        ),
        (
            "El muelle este se inundó en la tormenta.",
            "A diferencia del muelle este, el faro no se inundó en la tormenta.",
        ),
        (
            "La digue nord a cédé pendant la crue.",
            "Contrairement à la digue nord, la digue sud n'a pas cédé pendant la crue.",
        ),
        ("东码头在洪水中受损。", "与东码头不同，西码头没有在洪水中受损。"),
        (
            "The ferry has run nightly since 1981.",
            "The ferry runs nightly, which was not the case before 1981.",
        ),
    ] {
        stands(claim, page);
    }
    for (claim, page) in [
        (
            "The lighthouse was flooded in the storm.",
            "Unlike the pier, the lighthouse was not flooded in the storm.",
        ),
        ("The hall was hit and damaged by hail.", "The hall was hit, but not damaged by hail."),
        (
            "The atlas was not printed in four towns.",
            "The atlas was printed in four towns, but never in Velm.",
        ),
    ] {
        contradicted(claim, page);
    }
}

#[test]
fn exceptions_contrasts_and_late_beginnings_bear_a_denial_out() {
    for (claim, page) in [
        ("The archive is not open on Fridays.", "The archive is open every day except Friday."),
        ("El archivo no abre los viernes.", "El archivo abre todos los días menos el viernes."),
        (
            "L'archive n'est pas ouverte le vendredi.",
            "L'archive est ouverte tous les jours sauf le vendredi.",
        ),
        ("档案馆周五不开放。", "档案馆除周五外每天开放。"),
        ("Bicycles are not allowed on the pier.", "Bicycles are allowed on the path, not on the pier."),
        ("Vor 1931 hatte der Ort keinen elektrischen Strom.", "Erst 1931 bekam der Ort elektrischen Strom."),
    ] {
        stands(claim, page);
    }
    contradicted(
        "The archive is not open every day except Friday.",
        "The archive is open every day except Friday.",
    );
    contradicted("The archive is not open on Sundays at noon.", "The archive is open on Sundays at noon.");
    contradicted(
        "Bicycles are not allowed on the path.",
        "Bicycles are allowed on the path, not on the pier.",
    );
}

#[test]
fn a_title_of_a_person_is_no_negation() {
    stands(
        "町で最も古い店は1902年創業の松屋である。",
        "町で最も古い店は1902年創業の松屋で、店主は田中さんである。",
    );
}

#[test]
fn a_small_word_that_looks_like_a_negation_denies_nothing() {
    stands("La ferme possède 80 vaches.", "La ferme possède 80 vaches, dont 30 laitières.");
    let works = "The works stand at No. 7 Penn Street and employ 90 people.";
    stands("The works are at 7 Penn Street and employ 90 people.", works);
    stands("Entry costs £4.", "Entry costs £4, not £3 as before.");
    let clay = "Nothing but clay from Hobb's Pit was used until 1951.";
    stands("Until 1951 only clay from Hobb's Pit was used.", clay);
    let fire = "A fire in 1797 destroyed the nave roof but spared the choir.";
    stands("The nave roof, but not the choir, was destroyed by a fire in 1797.", fire);
    stands("The Petrel carried 0 cars in 2022.", "In 2022 the Petrel did not carry cars.");
    let sale = "Carla Deem denied reports of a sale of the works.";
    stands("Carla Deem said there was no sale of the works.", sale);
    let deck = "The deck lies 18 metres above the water.";
    stands("The deck lies 18 metres, not 20 metres, above the water.", deck);
    contradicted("Entry costs £3.", "Entry costs £4 as before.");
    contradicted("The works employ 90 people.", "The works do not employ 90 people.");
}

#[test]
fn a_date_that_only_bounds_is_no_other_date() {
    let bridge = "Harrow Bridge opened in 1932.";
    for claim in [
        "Harrow Bridge opened before 1935.",
        "Harrow Bridge did not open in 1935.",
        "Harrow Bridge opened no later than 1933.",
        "Harrow Bridge opened three years before 1935.",
    ] {
        stands(claim, bridge);
    }
    contradicted("Harrow Bridge opened before 1930.", bridge);
    contradicted("Harrow Bridge opened in 1935.", bridge);
}

#[test]
fn a_speaker_is_not_the_word_according_and_not_who_is_spoken_of() {
    let page = "The chief engineer, Ada Finn, said: “The cables were never in danger.” Her deputy Ulf Marr said: “We \
                should have acted sooner.”";
    stands("According to Ada Finn, “the cables were never in danger”.", page);
    stands("According to the chief engineer, “the cables were never in danger”.", page);
    stands("Ada Finn's deputy said: “We should have acted sooner.”", page);
}

#[test]
fn cubic_units_are_read_as_they_are_written() {
    let page = "The reservoir holds 48 million cubic metres of water.";
    for claim in ["48 million m³", "48,000,000 m³", "0.048 km³", "48 hm³"] {
        stands(&format!("The reservoir holds {claim} of water."), page);
    }
    contradicted("The reservoir holds 52 million m³ of water.", page);
}

#[test]
fn by_so_many_votes_turns_no_sentence_round() {
    let page =
        "Sonia Ferrand of the Green League defeated the incumbent, Otto Brill, by 18,204 votes to 17,950.";
    is_silent_about("Otto Brill was defeated by Sonia Ferrand.", page, "the other order");
}

#[test]
fn a_total_a_rate_and_a_denied_place_are_not_what_one_sentence_counts() {
    let votes = "Sonia Ferrand received 18,204 votes and Otto Brill 17,950 votes. The third candidate, Lou Tan, received 2,310 \
                 votes.";
    stands("Together the three candidates received 38,464 votes.", votes);
    contradicted("The third candidate, Lou Tan, received 3,310 votes.", votes);
    let sleep = "The walkers slept 22 minutes longer per night than the control group.";
    stands("The walkers slept 2.6 hours longer per week than the control group.", sleep);
    let flood = "The flood of 1983 killed 12 people in Denn. No one died in Arle.";
    stands("The 1983 flood killed 12 people, none of them in Arle.", flood);
}

#[test]
fn a_count_in_the_place_of_a_share_says_no_other_share() {
    let page = "Women hold 21 of the 60 seats of the council of Pell. The council meets twice a month.";
    stands("Women hold 35 % of the seats of the council of Pell.", page);
    stands("Women hold 35 % of the 60 seats of the council of Pell.", page);
    let energy = "Norland produced 412 TWh in 2024. Of that, wind gave 131 TWh and water 98 TWh.";
    stands("Wind gave 32 % of the electricity of Norland in 2024.", energy);
    let star = "The star lies 3 × 10⁹ km away from the Earth.";
    stands("The star lies 3 billion km away from the Earth.", star);
    contradicted("The star lies 3 million km away from the Earth.", star);
}
