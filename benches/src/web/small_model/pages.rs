//! Short pages about things that were made up, each with a question and a sentence that answers it.

/// One page that was read before, so that the model sees what copying is. It copies from this one, too.
const EXAMPLE: &str = "<page>\nBees make honey. A hive has one queen. Honey never spoils.\n</page>\n<question>\nHow many queens has a hive?\n</question>\nAnswer: {\"relevant\": true, \"quotes\": [\"A hive has one queen.\"], \"facts\": [], \"links\": []}";

pub(super) struct SmallModelPage {
    pub(super) question: &'static str,
    pub(super) text: &'static str,
    /// Stands in the text and has a number in it.
    pub(super) sentence: &'static str,
}

impl SmallModelPage {
    pub(super) fn prompt(&self) -> String {
        let (question, text) = (self.question, self.text);
        format!("{EXAMPLE}\n\n<page>\n{text}\n</page>\n<question>\n{question}\n</question>\nAnswer:")
    }
}

pub(super) const PAGES: &[SmallModelPage] = &[
    SmallModelPage {
        question: "How many books does the library of Kessel have?",
        text: "The library of Kessel has 412,000 books and 3,100 maps.\n\nThe library opens at nine o'clock.\n\nReaders from every country are welcome.",
        sentence: "The library of Kessel has 412,000 books and 3,100 maps.",
    },
    SmallModelPage {
        question: "When was the Grebe Bridge opened?",
        text: "The Grebe Bridge in Ostholm was opened on 19 March 1932.\n\nThe arch spans 503 metres and is painted grey.\n\nIt took eight years to build.",
        sentence: "The Grebe Bridge in Ostholm was opened on 19 March 1932.",
    },
    SmallModelPage {
        question: "Who invented the Talbot lamp?",
        text: "The Talbot lamp was invented by Maria Sole in 1891.\n\nThe lamp burns for 40 hours on one filling.\n\nMiners in the north still use it.",
        sentence: "The Talbot lamp was invented by Maria Sole in 1891.",
    },
    SmallModelPage {
        question: "How high is Mount Varda?",
        text: "Mount Varda is 2,815 metres high.\n\nThe first to climb it was Ilse Brandt in 1874.\n\nIn winter the road to the village is closed.",
        sentence: "Mount Varda is 2,815 metres high.",
    },
];
