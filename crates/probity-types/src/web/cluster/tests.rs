use proptest::prelude::*;

use super::{CopyRelation, Fingerprint, altered_copies, origins};

const STORY: &str = "The council of the harbour town voted on Monday to rebuild the old bridge after two years of public \
    debate. The work will cost 48 million euros and is planned to take until the spring of 2028, said the head of the \
    building office. Ferries will carry commuters across the bay while the bridge is closed, and the fare stays at 2.50 \
    euros. Shop owners on the north side had asked for a temporary bridge, which the council called too expensive. The \
    first piles are to be driven in March, as soon as the ice has gone and the herring have passed the narrows.";
const OTHER: &str = "Herring have returned to the bay in numbers that fishermen have not seen for a generation. \
    Researchers of the coastal institute counted more than 3 million fish during the spring run, and they believe that \
    warmer water and a ban on nets near the narrows explain the rise. The institute wants to go on counting for five \
    more years before it says anything about the cause, and asks fishermen to report what they catch.";
const JAPANESE: &str = "港町の議会は月曜日、二年にわたる公開討論を経て、古い橋を再建することを決めた。工事費は48億円で、\
    2028年の春まで続く見込みだと建設局長は述べた。橋が閉鎖されている間は渡し船が通勤客を運ぶ。北側の商店主は仮の橋を求めていたが、\
    議会は費用がかかりすぎるとした。";

fn kinship(left: &str, right: &str) -> CopyRelation {
    Fingerprint::of(left).copy_relation(&Fingerprint::of(right))
}

#[test]
fn a_copy_with_another_frame_is_a_copy() {
    let framed = format!(
        "HARBOUR NEWS\n\nBy our own reporter.\n{STORY}\nSubscribe to our letter. All rights reserved."
    );
    assert_eq!(kinship(STORY, &framed), CopyRelation::Copy);
    assert_eq!(kinship(STORY, &STORY.to_uppercase()), CopyRelation::Copy);
    assert_eq!(kinship(STORY, OTHER), CopyRelation::Unrelated);
}

#[test]
fn a_shortened_copy_is_a_copy() {
    let half: String = STORY.chars().take(STORY.chars().count() / 2).collect();
    assert_eq!(kinship(STORY, &half), CopyRelation::Copy);
}

#[test]
fn a_text_that_quotes_a_sentence_is_not_a_copy() {
    let quoting = format!("{OTHER} The first piles are to be driven in March, as soon as the ice has gone.");
    assert_eq!(kinship(STORY, &quoting), CopyRelation::Unrelated);
}

#[test]
fn a_copy_with_another_number_is_seen() {
    assert_eq!(kinship(STORY, &STORY.replace("48 million", "84 million")), CopyRelation::AlteredCopy);
    assert_eq!(kinship(STORY, &STORY.replace("2.50", "2,50")), CopyRelation::Copy);
    assert_eq!(kinship(JAPANESE, &JAPANESE.replace("48", "84")), CopyRelation::AlteredCopy);
    assert_eq!(kinship(JAPANESE, &JAPANESE.replace("48", "４８")), CopyRelation::Copy);
}

#[test]
fn texts_without_spaces_are_compared_too() {
    let framed = format!("速報です。{JAPANESE}続きは会員だけが読めます。");
    assert_eq!(kinship(JAPANESE, &framed), CopyRelation::Copy);
    let other = "春になると湾にニシンが戻ってきた。研究所は三百万匹を数え、水温の上昇と網漁の禁止が理由だと考えている。\
        研究所は今後五年間、調査を続ける。";
    assert_eq!(kinship(JAPANESE, other), CopyRelation::Unrelated);
}

#[test]
fn pages_without_text_are_alike_to_nothing() {
    assert_eq!(kinship("", ""), CopyRelation::Unrelated);
    assert_eq!(kinship(" … ", STORY), CopyRelation::Unrelated);
    assert_eq!(kinship("Access denied", "Access denied"), CopyRelation::Copy);
    assert_eq!(kinship("Access denied", "Access granted"), CopyRelation::Unrelated);
}

#[test]
fn copies_and_pages_of_one_site_are_one_origin() {
    let (story, other) = (Fingerprint::of(STORY), Fingerprint::of(OTHER));
    let third = Fingerprint::of(
        "A third text, which has nothing in common with the two others at all, as one can see.",
    );
    let pages = [
        (Some("a.org"), &story),
        (Some("b.org"), &other),
        (Some("c.org"), &story),
        (Some("c.org"), &third),
        (None, &third),
        (None, &other),
    ];
    assert_eq!(origins(&pages), [0, 1, 0, 0, 0, 1]);
}

#[test]
fn a_page_between_two_origins_makes_them_one() {
    let (story, other) = (Fingerprint::of(STORY), Fingerprint::of(OTHER));
    let pages = [(Some("a.org"), &story), (Some("b.org"), &other), (Some("a.org"), &other)];
    assert_eq!(origins(&pages), [0, 0, 0]);
}

#[test]
fn altered_copies_are_named_across_sites_only() {
    let (story, altered) =
        (Fingerprint::of(STORY), Fingerprint::of(&STORY.replace("48 million", "84 million")));
    let pages =
        [(Some("a.org"), &story), (Some("b.org"), &altered), (Some("a.org"), &altered), (None, &story)];
    assert_eq!(altered_copies(&pages), [(0, 1), (1, 3), (2, 3)]);
}

#[test]
fn a_fingerprint_is_small_and_comes_back_from_the_journal() {
    let long: String = (0..20_000).map(|place| format!("word{} {place} ", place * 7919 % 1013)).collect();
    let fingerprint = Fingerprint::of(&long);
    let text = serde_json::to_string(&fingerprint).unwrap();
    assert!(text.len() < 1700, "{} bytes", text.len());
    assert_eq!(serde_json::from_str::<Fingerprint>(&text).unwrap(), fingerprint);
}

/// Journals keep the hashes: another way to make them would make old pages alike to nothing.
#[test]
fn the_sample_of_a_text_stays_the_same() {
    let text = serde_json::to_string(&Fingerprint::of("one two three four five 6 seven")).unwrap();
    expect_test::expect![[r#"{"sequences":4,"sample":[83955544,1033000099,1418840062,3393430621],"numbers":[[3053312340,2942544716]]}"#]].assert_eq(&text);
}

fn letters(number: u64) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
}

proptest! {
    #[test]
    fn any_text_is_its_own_copy_and_kinship_has_no_direction(left in "\\PC{0,200}", right in "\\PC{0,200}") {
        let (left, right) = (Fingerprint::of(&left), Fingerprint::of(&right));
        prop_assert_eq!(left.copy_relation(&right), right.copy_relation(&left));
        prop_assert_eq!(left.copy_relation(&left) == CopyRelation::Copy, !left.is_empty());
    }

    #[test]
    fn an_origin_is_named_by_its_first_page(sites in prop::collection::vec(0..4_u8, 0..8)) {
        let texts: Vec<Fingerprint> = (0..sites.len()).map(|place| Fingerprint::of(&format!("text {}", "x".repeat(place + 1)))).collect();
        let names: Vec<String> = sites.iter().map(|site| format!("site{site}.org")).collect();
        let pages: Vec<_> = names.iter().zip(&texts).map(|(site, text)| (Some(site.as_str()), text)).collect();
        for (place, origin) in origins(&pages).into_iter().enumerate() {
            let first = sites.iter().position(|site| *site == sites[place]);
            prop_assert_eq!(Some(origin), first);
        }
    }

    /// How often two texts that share a known part are called copies: never far below the line, always far above.
    #[test]
    fn the_share_is_told_about_right(seed in 0..1000_u64, shared_percent in 0..=100_u64) {
        let word = |from: &str, place: u64| from.to_owned() + &letters((place + seed * 1000) * 2_654_435_761 % 1_000_003);
        let common: String = (0..shared_percent * 4).map(|place| word("c", place) + " ").collect();
        let own = |name: &str| -> String { (0..(100 - shared_percent) * 4).map(|place| word(name, place) + " ").collect() };
        let related = Fingerprint::of(&(common.clone() + &own("l"))).copy_relation(&Fingerprint::of(&(common + &own("r"))));
        if shared_percent <= 40 { prop_assert_eq!(related, CopyRelation::Unrelated); }
        if shared_percent >= 95 { prop_assert_ne!(related, CopyRelation::Unrelated); }
    }
}

#[test]
fn pages_of_one_form_that_share_no_number_are_no_copies() {
    let form = |harbour: &str, [length, built, ships]: [u32; 3]| {
        format!(
            "{harbour} lies on the coast and is kept by the council of the town. The length of its quay is {length} \
             metres, and the year of its opening was {built}. In a usual week the number of ships that call is {ships}. \
             Visitors are welcome on weekdays, the office answers letters, and the archive is open to everybody who asks."
        )
    };
    let first = form("Orion", [412, 1931, 17]);
    assert_eq!(kinship(&first, &form("Vega", [655, 1958, 23])), CopyRelation::Unrelated);
    assert_eq!(kinship(&first, &form("Orion", [412, 1931, 23])), CopyRelation::AlteredCopy);
    assert_eq!(kinship(&first, &form("Orion", [412, 1931, 17])), CopyRelation::Copy);
}
