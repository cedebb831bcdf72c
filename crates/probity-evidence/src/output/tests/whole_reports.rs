//! Whole reports under a perfect judge: nearly all true ones are verified, and none with an invention in it.

use probity_types::{
    Digest,
    checking::task::{ExamineRequest, JudgeLocation},
    ledger::{CLAIMS_MAX, Check, CheckAspect, CheckAuthor, Claim, JudgeStanding, Opinion},
    report::Report,
    time::Moment,
};

use crate::examine::examine;

/// Written well and true: facts cite, the frame around them is the author's.
const TRUE: &[&str] = &[
    "# The Orlo dam\n\nThe Orlo valley dam holds 45 million cubic metres of water. [1](http://a.example/dam) It opened on 12 \
     September 2019. [1](http://a.example/dam)\n",
    "# Breakfast\n\nSkipping breakfast did not lower the marks of pupils.\n\n## What was found\n\nSkipping breakfast did not lower \
     the marks of pupils [1](http://a.example/x). Family income explained most of the difference [2](http://b.example/y).\n",
    "This report looks at three bridges.\n\n- The Tarn bridge is 412 metres long [1].\n- The Norwick bridge opened in 1987 \
     [2].\n- The Borvik bridge was closed in 2020 [1].\n\n[1]: http://a.example/x\n[2]: http://b.example/y\n",
    "# Prices\n\nWhat happened to prices? Prices rose by 4 % in 2023 [1](http://a.example/x). Wages rose by 6 % in 2023 \
     [2](http://b.example/y).\n\n## In short\n\nPrices rose by 4 % in 2023 and wages rose by 6 % in 2023.\n",
    "The airport cost 940 million kronor [1](http://a.example/x). In our view, that is much for a town of this size.\n",
    "Revenue rose 12 % to 5.4 billion dollars in 2024 [1](http://a.example/x), and the number of employees stayed at 1,200 \
     [1](http://a.example/x). Overall, we believe that the year went well.\n",
    "# Lighthouses\n\n| Lighthouse | Height |\n| --- | --- |\n| Skag [1](http://a.example/x) | 46 m |\n| Utö \
     [1](http://a.example/x) | 34 m |\n",
    "Der Damm fasst 45 Millionen Kubikmeter [1](http://a.example/x). Er wurde 2019 eröffnet [1](http://a.example/x).\n",
    "这座大坝蓄水4500万立方米[1](http://a.example/x)。它于2019年启用[1](http://a.example/x)。\n",
    "The drug was tested on 1,204 adults [1](http://a.example/x). It lowered blood pressure by 8 mmHg \
     [1](http://a.example/x). Therefore, doctors should talk about it with their patients.\n\n## Sources\n\n1. \
     http://a.example/x\n",
];

/// One of these after any true report makes it false.
const INVENTED: &[&str] = &[
    "Skipping breakfast damages the brain for life.",
    "Doctors agree on this without exception.",
    "Family income plays no part in it.",
    "The dam is about to collapse.",
    "The mayor took bribes for it.",
    "Nobody has ever disputed these figures.",
    "Prices fell by 4 % in 2023.",
];

/// Begin like a summary, an opinion, advice, a remark about the report or a question, and invent.
const FRAMED: &[&str] = &[
    "In other words, the Dorrin Bridge does **not** cross the river Osk.",
    "In short, the Dorrin Bridge never crossed the river Osk.",
    "We recommend that children take 500 mg of Zelvitol daily, which cured 93 % of patients in 2021.",
    "In conclusion, Zelvitol is safe for children.",
    "This report is about the collapse of 1950, in which 40 people died and Mayor John Harl fled to Brazil with $2 million.",
    "Overall, John Harl is a murderer.",
    "This section describes how John Harl murdered his wife.",
    "Taken together, these facts show that Mayor Harl stole two million crowns.",
    "In summary, Mara Velten opened the Dorrin Bridge.",
    "In my opinion, the corrupt mayor of Pell stole the money.",
    "Did you know that the bridge collapsed in 1950 and killed forty people?",
    "Isn't it shocking that forty people died on the bridge?",
];

/// State nothing.
const OWN: &[&str] = &[
    "We recommend further study.",
    "This section describes the method.",
    "In summary, the evidence is mixed.",
    "Who built the bridge?",
    "Did you know that the Dorrin Bridge crosses the river Osk?",
];

fn outcome(text: &str) -> (bool, String) {
    outcome_by(text, |_| true)
}

/// `finds`: which of the claims with a page the judge finds on it.
fn outcome_by(text: &str, finds: impl Fn(&Claim) -> bool) -> (bool, String) {
    let report = Report { text: text.to_owned(), ..Report::default() };
    let ask = ExamineRequest {
        report,
        pages: Vec::new(),
        at: Moment(0),
        judging: JudgeLocation::Absent,
        given: true,
        claims_max: CLAIMS_MAX,
    };
    let mut report = examine(&ask);
    let ledger = report.ledger.as_mut().unwrap();
    let cited = ledger.claims.iter().filter(|claim| !claim.cites.is_empty() && finds(claim));
    let judged = cited.map(|claim| Check {
        claim: claim.id,
        aspect: CheckAspect::Meaning,
        opinion: Opinion::Supports,
        by: CheckAuthor::Model { name: "perfect".to_owned(), version: "1".to_owned() },
        confidence: 99,
        source: claim.cites.first().copied(),
        span: Some((0, 5)),
        page: Some(Digest([1; 32])),
        at: Moment(0),
        reason: String::new(),
    });
    ledger.checks = judged.collect();
    ledger.conflicts.clear();
    ledger.judge = Some("perfect".to_owned());
    ledger.judge_standing = JudgeStanding::Trusted;
    ledger.compute_verdicts(None);
    let outcome = report.verification();
    (outcome.verified, outcome.reason)
}

#[test]
fn nine_of_ten_true_reports_are_verified() {
    let refused: Vec<String> =
        TRUE.iter().map(|text| outcome(text)).filter(|(verified, _)| !verified).map(|(_, why)| why).collect();
    assert!(refused.len() * 10 <= TRUE.len(), "{refused:#?}");
}

#[test]
fn an_invention_is_never_verified_whatever_stands_before_it() {
    for text in TRUE {
        for invented in INVENTED {
            // In a paragraph of its own: what shares one with a citation is judged against that page.
            let (verified, reason) = outcome(&format!("{invented}\n\n{text}"));
            assert!(!verified, "{invented} before {text}: {reason}");
        }
    }
}

#[test]
fn how_a_sentence_begins_never_exempts_it() {
    let bridge = "# The Dorrin Bridge\n\nThe Dorrin Bridge crosses the river Osk [1](http://a.example/x). Its architect was Mara \
        Velten, who also designed the town hall of Pell [1](http://a.example/x).";
    // The page has what cites it, and nothing of what only stands near.
    let told = |text: &str| outcome_by(text, |claim| claim.inherited.is_none());
    for invented in FRAMED {
        for text in [format!("{bridge} {invented}\n"), format!("{bridge}\n\n{invented}\n")] {
            let (verified, reason) = told(&text);
            assert!(!verified, "{invented}: {reason}");
        }
    }
    for own in OWN {
        let (verified, reason) = told(&format!("{bridge}\n\n{own}\n"));
        assert!(verified, "{own}: {reason}");
    }
}
