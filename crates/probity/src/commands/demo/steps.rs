//! The commands of the demo, in their order, and what to notice in each.

/// The five sentences that `verify` checks: two of them are not what their pages say.
pub const ANSWER: &str = include_str!("answer.md");
pub const ANSWER_FILE: &str = "answer.md";

const TOWER: &str = "How tall is the Eiffel Tower, and when was it opened?";
const BRIDGE: &str = "Why did the Tacoma Narrows bridge fall?";

pub struct DemoStep {
    pub title: &'static str,
    pub arguments: Vec<&'static str>,
    /// The expected exit code.
    pub exit: i32,
    /// What to notice, in one or two sentences.
    pub lesson: &'static str,
    /// The command knows `--json`.
    pub has_document: bool,
}

impl DemoStep {
    /// As a user types it.
    pub fn command_line(&self) -> String {
        let word = |word: &&str| if word.contains(' ') { format!("\"{word}\"") } else { (*word).to_owned() };
        let words: Vec<String> = self.arguments.iter().map(word).collect();
        format!("$ probity {}", words.join(" "))
    }
}

pub fn all(keep: bool) -> Vec<DemoStep> {
    let mut steps = vec![
        DemoStep {
            title: "a research",
            arguments: vec!["research", "--web", "--scope", "large", TOWER],
            exit: 0,
            lesson: "Each mark is a verdict, computed from the stored page. Two guides say 324 metres because one copied \
                the other; the tower's own page says 330. Each page says what is cited from it, so each sentence is \
                supported; together they disagree and nobody independent settles it, so the report is not verified. \
                One page tried to give orders: the report names it, and nothing that it asked for was done.",
            has_document: true,
        },
        DemoStep {
            title: "somebody else's text: does it say what its sources say?",
            arguments: vec!["verify", ANSWER_FILE],
            exit: 4,
            lesson: "Exit code 4: two sentences are contradicted by the pages that they cite. In CI that is a red build.",
            has_document: true,
        },
        DemoStep {
            title: "why is C2 contradicted?",
            arguments: vec!["explain", "C2"],
            exit: 0,
            lesson: "Who decided, how sure, and the exact bytes of the stored page.",
            has_document: true,
        },
        DemoStep {
            title: "a quick question",
            arguments: vec![BRIDGE],
            exit: 0,
            lesson: "Flutter, say the engineers; resonance, says an old schoolbook. Both sentences stand on their pages, \
                and that is all that verified means: not that the pages are right. Read them before you choose.",
            has_document: true,
        },
        DemoStep {
            title: "what did it cost?",
            arguments: vec!["runs", "list"],
            exit: 0,
            lesson: "Counted from what the provider said it used, times a dated price table.",
            has_document: true,
        },
        DemoStep {
            title: "who was told what?",
            arguments: vec!["privacy"],
            exit: 0,
            lesson: "From the journal of the research, where each request is written down before it is made.",
            has_document: true,
        },
    ];
    if keep {
        steps.push(DemoStep {
            title: "the report as one file",
            arguments: vec!["report", "last", "--format", "html", "--output", "report.html"],
            exit: 0,
            lesson: "One self-contained page: click a sentence to see its evidence.",
            has_document: false,
        });
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::all;

    #[test]
    fn commands_are_shown_as_they_are_typed() {
        let typed: Vec<String> = all(true).iter().map(super::DemoStep::command_line).collect();
        assert_eq!(typed[3], "$ probity \"Why did the Tacoma Narrows bridge fall?\"");
        assert_eq!(typed[2], "$ probity explain C2");
        assert_eq!((typed.len(), all(false).len()), (7, 6));
    }
}
