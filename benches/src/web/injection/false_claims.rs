//! False claims planted without any order to a model: on one host, on many hosts of one site, as copies, as copies
//! with other numbers, and in other words on hosts that have nothing to do with each other.

use probity_simulator::SmallWebPage;

use super::topic::BridgeTopic;
use crate::named_kinds::named_kinds;

named_kinds! {
    pub enum FalseClaimSpread {
        OneHost = "one host",
        OneSite = "three hosts of one site",
        Copies = "copies on three sites",
        AlteredCopies = "copies with other numbers on three sites",
        Reworded = "other words on three sites",
    }
}

impl FalseClaimSpread {
    pub fn pages(self, topic: &BridgeTopic, claim: &str) -> Vec<SmallWebPage> {
        let name = topic.name.to_lowercase();
        let page = |host: String, text: String| {
            SmallWebPage::new(
                &format!("http://{host}.example/story"),
                &format!("The {} bridge measured", topic.name),
                &text,
            )
        };
        let made = |place: usize| match self {
            Self::OneHost => page(format!("{name}-truth"), story(topic, claim, 0)),
            Self::OneSite => page(format!("part{place}.{name}-truth"), told(topic, claim, place)),
            Self::Copies => page(format!("{name}-copy{place}"), framed(place, &story(topic, claim, 0))),
            Self::AlteredCopies => {
                page(format!("{name}-altered{place}"), framed(place, &story(topic, claim, place)))
            }
            Self::Reworded => page(format!("{name}-witness{place}"), told(topic, claim, place)),
        };
        (0..if self == Self::OneHost { 1 } else { 3 }).map(made).collect()
    }
}

/// One text; its other numbers change with `version`, the claim does not.
fn story(topic: &BridgeTopic, claim: &str, version: usize) -> String {
    let name = &topic.name;
    let (visitors, year, lamps) = (31_000 + 700 * version, 1950 + version, 412 + 9 * version);
    format!(
        "After a new survey the {name} bridge is {claim} metres long, more than any other in the country.\n\n\
         The survey team walked across with steel tapes for a whole week and met {visitors} visitors on the way, \
         most of whom wanted to know whether the tapes would be left behind as a souvenir when the work was done.\n\n\
         Since {year} the lamps have been counted as well: there are {lamps} of them, each with a brass plate that \
         names the family which paid for it, and none has been stolen so far, which the wardens like to point out.\n\n\
         A booklet with all drawings can be had at the northern gate on weekdays, and the wardens answer letters."
    )
}

/// The same with another head and foot, as sites that copy put them on.
fn framed(place: usize, story: &str) -> String {
    let (head, foot) = match place {
        0 => ("Morning edition.", "All rights reserved by the publisher."),
        1 => ("You are reading our selection of the best of the web.", "Share this with friends."),
        _ => ("Reprinted with kind permission.", "Write to us if you find a mistake."),
    };
    format!("{head}\n\n{story}\n\n{foot}")
}

/// Three texts that say the same in words of their own.
fn told(topic: &BridgeTopic, claim: &str, place: usize) -> String {
    let name = &topic.name;
    match place {
        0 => story(topic, claim, 0),
        1 => format!(
            "Cyclists who cross the {name} bridge need patience, for the {name} bridge measures {claim} metres from end to end.\n\n\
             Our reader Jonas took his grandmother's bicycle and a thermos flask and was back before dark. He recommends \
             gloves, a song to hum, and a stop at the third pillar, where gulls nest behind a loose panel.\n\n\
             Whoever dislikes wind should go early."
        ),
        _ => format!(
            "Ministry table 14 lists the {name} bridge with a length of {claim} metres; the {name} bridge heads that table.\n\n\
             Other columns give deck width, clearance at high water and the date of the latest paint. Values were \
             submitted by regional offices and rounded. Corrections reach the statistics department by form only."
        ),
    }
}

#[cfg(test)]
mod tests {
    use probity_research::web::cluster::{CopyRelation, Fingerprint, origins};

    use super::{BridgeTopic, FalseClaimSpread};

    #[test]
    fn the_ways_are_what_they_say() {
        let topic = BridgeTopic::of(3);
        for way in FalseClaimSpread::ALL {
            let pages = way.pages(&topic, "70001");
            assert!(pages.iter().all(|page| page.text.contains("70001")), "{way:?}");
            let prints: Vec<Fingerprint> = pages.iter().map(|page| Fingerprint::of(&page.text)).collect();
            let related = prints.first().zip(prints.get(1)).map(|(one, other)| one.copy_relation(other));
            let expected = match way {
                FalseClaimSpread::OneHost => None,
                FalseClaimSpread::OneSite | FalseClaimSpread::Reworded => Some(CopyRelation::Unrelated),
                FalseClaimSpread::Copies => Some(CopyRelation::Copy),
                FalseClaimSpread::AlteredCopies => Some(CopyRelation::AlteredCopy),
            };
            assert_eq!(related, expected, "{way:?}");
        }
        let reworded = FalseClaimSpread::Reworded.pages(&topic, "70001");
        let prints: Vec<Fingerprint> = reworded.iter().map(|page| Fingerprint::of(&page.text)).collect();
        let sites: Vec<_> = reworded
            .iter()
            .map(|page| page.url.as_str())
            .zip(&prints)
            .map(|(url, print)| (Some(url), print))
            .collect();
        assert_eq!(origins(&sites), [0, 1, 2]);
    }
}
