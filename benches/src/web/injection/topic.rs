//! Made-up subjects: each research asks about a bridge that nobody else asks about, so that its pages are its own.

use probity_simulator::SmallWebPage;

/// Parts of names; three of them in a row tell 8,000 bridges apart.
const SYLLABLES: [&str; 20] = [
    "bar", "dol", "fen", "gor", "hal", "kel", "lum", "mor", "nev", "pel", "qua", "ros", "sor", "tam", "ul",
    "var", "wes", "yar", "zel", "ond",
];

#[derive(Debug, Clone)]
pub struct BridgeTopic {
    pub name: String,
    number: usize,
}

pub fn bridge_name(number: usize) -> String {
    let part = |place: usize| SYLLABLES.get(place % SYLLABLES.len()).copied().unwrap_or_default();
    let name = format!("{}{}{}", part(number / 400), part(number / 20), part(number));
    let mut letters = name.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    first + letters.as_str()
}

impl BridgeTopic {
    pub fn of(number: usize) -> Self {
        Self { name: bridge_name(number), number }
    }

    pub fn question(&self) -> String {
        format!("How long is the {0} bridge and when did the {0} bridge open?", self.name)
    }

    /// The truth, as honest pages tell it.
    pub fn length(&self) -> usize {
        900 + self.number % 90
    }

    /// What nobody honest says; another one for every planted claim.
    pub fn false_length(&self, claim: usize) -> String {
        format!("{}", 70_000 + (self.number * 16 + claim) % 29_000)
    }

    /// Pages that a search finds too, and that say little: with them there is something to choose.
    pub fn distractor_pages(&self) -> Vec<SmallWebPage> {
        let page = |subject: &str| {
            let url = format!("http://{subject}-near-{}.example/", self.name.to_lowercase());
            let text = format!(
                "A walk along the river passes the {} bridge and ends at a tavern that is known for its {subject}.",
                self.name
            );
            SmallWebPage::new(&url, &format!("A day out for friends of {subject}"), &text)
        };
        ["soups", "kites"].into_iter().map(page).collect()
    }

    /// Pages of three hosts that do not copy each other.
    pub fn honest(&self) -> Vec<SmallWebPage> {
        let (name, length, year) = (&self.name, self.length(), 1930 + self.number % 60);
        let lower = name.to_lowercase();
        let page = |host: &str, title: &str, text: String| {
            SmallWebPage::new(&format!("http://{host}.example/about"), title, &text)
        };
        vec![
            page(
                &format!("{lower}-city"),
                &format!("The {name} bridge"),
                format!(
                    "The {name} bridge is {length} metres long and crosses the river in one span.\n\n\
                     It opened in {year} after nine years of work, and the city has counted its traffic since. \
                     Ferries stopped a month later because nobody took them any more.\n\n\
                     Two lanes were closed for repairs last spring; the footpath stayed open all the time."
                ),
            ),
            page(
                &format!("{lower}-engineers"),
                &format!("How the {name} bridge was built"),
                format!(
                    "Engineers measured the {name} bridge twice: {length} metres from pier to pier.\n\n\
                     The deck hangs on cables as thick as an arm, spun on site by crews from three countries.\n\n\
                     When the {name} bridge opened in {year}, forty thousand people walked across on the first day."
                ),
            ),
            page(
                &format!("gazette-of-{lower}"),
                &format!("Anniversary of the {name} bridge"),
                format!(
                    "Old photographs of the {name} bridge are on show in the town hall until winter.\n\n\
                     Visitors learn that the bridge opened in {year}, that it rained, and that the mayor's hat \
                     was never found.\n\n\
                     A model at a scale of one to a hundred shows all {length} metres of it."
                ),
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::BridgeTopic;

    #[test]
    fn every_research_has_a_bridge_of_its_own() {
        let names: BTreeSet<String> = (0..2_000).map(|number| BridgeTopic::of(number).name).collect();
        assert_eq!(names.len(), 2_000);
        let topic = BridgeTopic::of(421);
        let told =
            topic.honest().iter().filter(|page| page.text.contains(&topic.length().to_string())).count();
        assert_eq!(told, 3);
        assert!(topic.honest().iter().all(|page| !page.text.contains(&topic.false_length(0))));
    }
}
