use super::SupportedSentences;
use crate::ledger::ClaimId;

const SUPPORTED: &[&str] = &[
    "The Orlo valley dam holds 45 million cubic metres of water.",
    "The Orlo valley dam opened on 12 September 2019.",
    "Norway's exports rose and Sweden's exports fell.",
    "In a trial the drug cured skin cancer in old mice.",
    "Supporters say that the bridge at Tarn is safe for lorries.",
    "Skipping breakfast did not lower the marks of pupils.",
    "The airport cost 940 million kronor.",
    "Women had a higher risk of relapse than men.",
    "Solar supplied 30 % and wind supplied 65 % of the power.",
    "Anna's brother died in Rome.",
    "It opened in 1915.",
    "Der Damm ist nach dem Umbau sicher.",
];

fn covered(words: &str) -> Option<Vec<String>> {
    let claims = SUPPORTED.iter().enumerate().map(|(place, words)| (ClaimId::at(place), *words));
    let of = SupportedSentences::of(claims).that_say(words)?;
    Some(of.iter().map(ToString::to_string).collect())
}

#[test]
fn what_says_it_again_is_covered() {
    for (words, of) in [
        ("The Orlo valley dam holds 45 million cubic metres of water.", "C1"),
        ("Overall, the Orlo valley dam holds 45 million cubic metres of water.", "C1"),
        ("The dam of the Orlo valley opened on 12 September 2019.", ""),
        (
            "The Orlo valley dam opened on 12 September 2019 and holds 45 million cubic metres of water.",
            "C1 C2",
        ),
        ("The figures show that skipping breakfast did not lower the marks of pupils.", "C6"),
        ("Skipping breakfast didn't lower the marks of pupils.", "C6"),
        ("The airport cost 940 million kronor.", "C7"),
        ("Women had a higher risk of relapse than men, and the airport cost 940 million kronor.", "C7 C8"),
        ("Der Damm ist nach dem Umbau sicher.", "C12"),
    ] {
        assert_eq!(covered(words).unwrap_or_default().join(" "), of, "{words}");
    }
}

#[test]
fn what_says_more_less_or_otherwise_is_not() {
    for words in [
        "Skipping breakfast damages the brain for life.",
        "Doctors agree on this without exception.",
        "Skipping breakfast did lower the marks of pupils.",
        "Skipping breakfast never lowered the marks of pupils.",
        "The Orlo valley dam holds 54 million cubic metres of water.",
        "The Orlo valley dam holds 45 million cubic metres of contaminated water.",
        "The Borvik valley dam holds 45 million cubic metres of water.",
        "The airport opened on 12 September 2019.",
        "The airport cost 940 million kronor and opened on 12 September 2019.",
        "Norway's exports fell.",
        "Norway's exports fell and Sweden's exports rose.",
        "The drug cured skin cancer.",
        "The drug cured skin cancer in mice.",
        "The bridge at Tarn is safe for lorries.",
        "Men had a higher risk of relapse than women.",
        "Women had a lower risk of relapse than men.",
        "Solar and wind supplied 65 % of the power.",
        "Anna died in Rome.",
        "The airport opened in 1915.",
        "It cost 940 million kronor.",
        "The airport costs 940 million kronor a year.",
        "Der Damm ist sicher.",
        "Der Damm ist nach dem Umbau nicht sicher.",
        "The airport.",
        "",
    ] {
        assert_eq!(covered(words), None, "{words}");
    }
}

#[test]
fn a_report_of_thousands_is_compared_in_a_moment() {
    let words: Vec<String> = (0..2_500)
        .map(|place| format!("The value of item {place} rose to {} in the year.", place * 7))
        .collect();
    let claims = words.iter().enumerate().map(|(place, words)| (ClaimId::at(place), words.as_str()));
    let supported = SupportedSentences::of(claims);
    let covered = words.iter().filter(|words| supported.that_say(words).is_some()).count();
    assert_eq!(covered, words.len());
    assert_eq!(supported.that_say("The value of item 3 rose to 22 in the year."), None);
}
