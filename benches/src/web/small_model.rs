//! A real small language model on this machine, asked through our own client: its answers keep the schema, and what it
//! invents does not get past the check against the page's bytes.
//!
//! SmolLM2-135M on llama.cpp's server. So small a model copies badly, which is the point: the check has work to do.

use std::{collections::BTreeSet, process::Stdio, time::Duration};

use anyhow::Context;
use probity_models::{ChatCall, ChatClient, ChatError, ChatKind, ChatSettings, HttpTransport};
use probity_research::{
    time::Moment,
    web::{
        BillBasis, ReaderNote,
        anchor::anchor,
        note::FactKind,
        task::{ReadReply, ReportDraft},
    },
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    evidence::test_bed::{EvidenceTestBed, JudgeSetup, simulated_world},
    figure::{Figure, MeasurementSize},
    rig::{self, ChildProcessOutput, ProcessGroup},
};

const MODEL: &str = "smollm2-135m-instruct";
/// A whole run of a model that writes a few tokens a second on a busy machine.
const PATIENCE: Duration = Duration::from_secs(900);

/// Tokens of one answer: two short quotations and what is around them.
const READ_TOKENS_MAX: u32 = 300;
const WRITE_TOKENS_MAX: u32 = 300;
/// One thread writes about 17 tokens a second on an idle core; a busy machine takes many times as long.
const DEADLINE: Duration = Duration::from_secs(240);

const WHOLE: &str = "a whole research in which a real small model plans, reads and writes: quotations that are not the page's bytes";
const READ: &str = "Copy the sentence of the page that answers the question.";
const WRITE: &str = "Write a short report from the notes. Name the number of the note behind every sentence.";

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let Some(server) = LlamaServer::start()? else {
        let goal = "every answer keeps its schema, and every quotation kept stands on its page";
        let why = "run benches/checks/small-model/install first";
        return Ok(vec![Figure::skipped("a real small model reads and writes", goal, why)]);
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let pages = PAGES.get(..size.pick(1, PAGES.len())).unwrap_or(PAGES);
    let (session, took) = rig::timed(|| runtime.block_on(session(&server, pages)));
    let mut figures = session?.figures(took);
    figures.push(controls());
    // Minutes of a model that writes a few tokens a second.
    if size == MeasurementSize::Full {
        figures.push(whole_run_unchecked_because_the_small_model_would_judge_itself_for_minutes(&server)?);
    }
    Ok(figures)
}

/// What the model said about all pages.
#[derive(Debug, Default)]
struct SmallModelTally {
    asked: usize,
    /// Answers of exactly the shape that was asked for.
    fitting: usize,
    /// Quotations and facts it gave, those kept, and those dropped.
    said: usize,
    kept: usize,
    dropped: usize,
    /// Kept quotations that are not the page's own bytes.
    wrong: usize,
    sentences: usize,
    sentences_with_notes: usize,
    tokens: u64,
    /// Calls that were billed although the model is on this machine.
    billed: usize,
    failures: Vec<String>,
}

async fn session(server: &LlamaServer, pages: &[SmallModelPage]) -> anyhow::Result<SmallModelTally> {
    let mut settings = ChatSettings::new(ChatKind::OpenAi, MODEL);
    settings.base_url.clone_from(&server.base_url);
    let chat = ChatClient::connect(settings, Moment::default).context("the chat client")?;
    anyhow::ensure!(chat.is_local(), "an endpoint on loopback counts as a foreign one");
    let mut session = SmallModelTally::default();
    let mut notes = Vec::new();
    for page in pages {
        let answer =
            ask(&chat, &mut session, READ, page.prompt(), read_schema(), "read", READ_TOKENS_MAX).await;
        let Some(reply) = answer.and_then(|text| session.taken::<StrictReaderReply>(&text)) else { continue };
        let note = anchor(page.text, &reply.as_reply(), 0);
        session.count(page, &reply, &note);
        notes.extend(note.quotes.into_iter().map(|quote| quote.text));
    }
    let told: Vec<String> =
        notes.iter().take(4).enumerate().map(|(place, note)| format!("[{place}] \"{note}\"")).collect();
    let question = pages.first().map_or("", |page| page.question);
    let prompt = format!("<question>\n{question}\n</question>\n<notes>\n{}\n</notes>", told.join("\n"));
    let answer = ask(&chat, &mut session, WRITE, prompt, write_schema(), "write", WRITE_TOKENS_MAX).await;
    if let Some(draft) = answer.and_then(|text| session.taken::<ReportDraft>(&text)) {
        let sentences = || draft.sections.iter().flat_map(|section| &section.sentences);
        let known = |note: &u32| usize::try_from(*note).is_ok_and(|note| note < told.len());
        session.sentences = sentences().count();
        session.sentences_with_notes =
            sentences().filter(|sentence| sentence.notes.iter().any(known)).count();
    }
    Ok(session)
}

async fn ask(
    chat: &ChatClient<HttpTransport>,
    session: &mut SmallModelTally,
    system: &str,
    user: String,
    schema: Value,
    schema_name: &'static str,
    output_tokens_max: u32,
) -> Option<String> {
    session.asked += 1;
    let call = ChatCall {
        system: system.to_owned(),
        user,
        schema: Some(schema),
        schema_name,
        output_tokens_max,
        deadline: DEADLINE,
    };
    let (bill, text) = match chat.ask(call).await {
        Ok(reply) => (reply.bill, Some(reply.text)),
        Err(ChatError { problem, bill }) => {
            session.failures.push(format!("{schema_name}: {problem}"));
            (bill, None)
        }
    };
    session.tokens += bill.usage.output_tokens;
    session.billed += usize::from(bill.basis != BillBasis::Nothing);
    text
}

impl SmallModelTally {
    /// The answer, if it has exactly the shape that was asked for.
    fn taken<'t, T: Deserialize<'t>>(&mut self, text: &'t str) -> Option<T> {
        match serde_json::from_str(text) {
            Ok(value) => {
                self.fitting += 1;
                Some(value)
            }
            Err(error) => {
                self.failures.push(error.to_string());
                None
            }
        }
    }

    fn count(&mut self, page: &SmallModelPage, reply: &StrictReaderReply, note: &ReaderNote) {
        self.said += reply.quotes.len() + reply.facts.len();
        self.kept += note.quotes.len() + note.facts.len();
        self.dropped += usize::try_from(note.invented).unwrap_or(usize::MAX);
        self.wrong += wrong(page.text, note);
    }

    fn figures(&self, took: Duration) -> Vec<Figure> {
        let failures = self.failures.join("; ");
        let speed = self.tokens as f64 / took.as_secs_f64();
        vec![
            Figure::judged(
                "a real small model keeps the schemas of reader and writer",
                self.fitting == self.asked && self.asked > 1 && self.billed == 0,
                format!("{} of {} answers, {} billed", self.fitting, self.asked, self.billed),
                "every answer, nothing billed",
            )
            .with_note(format!("SmolLM2-135M on llama.cpp; {failures}").trim_end_matches("; ").to_owned()),
            Figure::judged(
                "quotations of a real small model that are kept stand on the page",
                self.wrong == 0 && self.kept > 0 && self.kept + self.dropped == self.said,
                format!(
                    "{} kept, {} of them not the page's bytes; {} invented and dropped",
                    self.kept, self.wrong, self.dropped
                ),
                "100 % of what is kept, and at least one is kept",
            )
            .with_note(format!(
                "its report: {} sentences, {} with a note that exists; {} tokens at {speed:.1} a second",
                self.sentences, self.sentences_with_notes, self.tokens
            )),
        ]
    }
}

/// Kept quotations that are not, byte for byte, what stands at their place, and facts outside their quotation.
fn wrong(text: &str, note: &ReaderNote) -> usize {
    let quotes =
        note.quotes.iter().filter(|quote| text.get(quote.start..quote.end) != Some(quote.text.as_str()));
    let outside = note.facts.iter().filter(|fact| {
        !note.quotes.get(fact.quote).is_some_and(|quote| quote.text.contains(fact.value.as_str()))
    });
    quotes.count() + outside.count()
}

/// The judge itself: planted inventions are dropped and counted, a planted wrong note is seen, a shape nobody asked for
/// is refused.
fn controls() -> Figure {
    let Some(page) = PAGES.first() else {
        return Figure::skipped("planted inventions are seen", "all", "there is no page");
    };
    let changed = page.sentence().replace(|letter: char| letter.is_ascii_digit(), "7");
    let planted = ReadReply {
        quotes: vec![
            page.sentence().to_owned(),
            changed.clone(),
            "A panel confirmed all of it last spring.".to_owned(),
        ],
        facts: vec![(FactKind::Number, "4711".to_owned(), 0), (FactKind::Name, "Nobody".to_owned(), 9)],
        links: vec![0, 5],
    };
    let mut note = anchor(page.text, &planted, 0);
    let kept_one = note.quotes.len() == 1 && note.facts.is_empty() && note.links.is_empty();
    let counted = note.invented == 4 && wrong(page.text, &note) == 0;
    if let Some(quote) = note.quotes.first_mut() {
        quote.text = changed;
    }
    let seen = wrong(page.text, &note) == 1;
    let mut session = SmallModelTally::default();
    let shapes = [
        r#"{"relevant":"yes","quotes":[],"facts":[],"links":[]}"#,
        r#"{"relevant":true,"quotes":["#,
        r#"{"verified":true,"relevant":true,"quotes":[],"facts":[],"links":[]}"#,
    ];
    let refused = shapes.iter().filter(|shape| session.taken::<StrictReaderReply>(shape).is_none()).count();
    let caught = [kept_one, counted, seen, refused == shapes.len()].iter().filter(|caught| **caught).count();
    Figure::judged(
        "planted inventions and shapes are seen by the judge of the small model",
        caught == 4,
        format!("{caught} of 4"),
        "all",
    )
}

/// The reader's answer, closed like its schema.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StrictReaderReply {
    #[expect(dead_code, reason = "its type is part of the schema")]
    relevant: bool,
    quotes: Vec<String>,
    facts: Vec<StrictReaderFact>,
    links: Vec<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StrictReaderFact {
    kind: FactKind,
    value: String,
    quote: usize,
}

impl StrictReaderReply {
    fn as_reply(&self) -> ReadReply {
        ReadReply {
            quotes: self.quotes.clone(),
            facts: self.facts.iter().map(|fact| (fact.kind, fact.value.clone(), fact.quote)).collect(),
            links: self.links.clone(),
        }
    }
}

fn closed(properties: Value) -> Value {
    let names: Vec<String> =
        properties.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
    json!({"type": "object", "additionalProperties": false, "required": names, "properties": properties})
}

fn list(items: Value, most: u32) -> Value {
    json!({"type": "array", "maxItems": most, "items": items})
}

fn text(characters_max: u32) -> Value {
    json!({"type": "string", "maxLength": characters_max})
}

fn place() -> Value {
    json!({"type": "integer", "minimum": 0, "maximum": 9})
}

fn read_schema() -> Value {
    let kinds = json!({"enum": ["number", "date", "name", "place", "other"]});
    let fact = closed(json!({"kind": kinds, "value": text(30), "quote": place()}));
    closed(json!({
        "relevant": {"type": "boolean"}, "quotes": list(text(90), 2), "facts": list(fact, 2), "links": list(place(), 1),
    }))
}

fn write_schema() -> Value {
    let sentence = closed(json!({"text": text(120), "notes": list(place(), 2)}));
    let section = closed(json!({"heading": text(60), "sentences": list(sentence, 2)}));
    closed(json!({"title": text(80), "sections": list(section, 1), "unanswered": list(text(80), 1)}))
}

/// The real program with the real small model as its only model: planner, reader and writer of a whole research.
/// Whatever it invents is dropped; the report is finished all the same.
fn whole_run_unchecked_because_the_small_model_would_judge_itself_for_minutes(
    server: &LlamaServer,
) -> anyhow::Result<Figure> {
    let home = tempfile::tempdir()?;
    let page = |(number, page): (usize, &SmallModelPage)| json!({"url": format!("http://site{number}.example/"), "title": page.question, "text": page.text});
    let pages: Vec<Value> = PAGES.iter().enumerate().map(page).collect();
    let simulator = simulated_world(home.path(), &pages, None)?;
    let stand = EvidenceTestBed::open(&simulator, home.path(), JudgeSetup::Nobody)?;
    let bases = format!("wikipedia={}/search-api/wikipedia/{{language}}", simulator.base_url);
    let settings = [
        ("PROBITY_CHECKS__ENABLED", "false"),
        ("PROBITY_SEARCH__PROVIDERS", "wikipedia"),
        ("PROBITY_SEARCH__BASES", bases.as_str()),
    ];
    let question = PAGES.first().map_or("", |page| page.question);
    let arguments = ["research", "--web", "--scope", "tiny", "--max-time", "12m", "--json", question];
    let finished = server.run_program(&stand, &arguments, &settings)?;
    Ok(run_figure(&finished.json(), &finished.stderr))
}

fn run_figure(told: &Value, stderr: &str) -> Figure {
    let at = |pointer: &str| told.pointer(pointer).cloned().unwrap_or_default();
    let notes = at("/web/notes");
    let quotes: Vec<String> = notes
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|note| note.get("quotes").and_then(Value::as_array).cloned().unwrap_or_default())
        .filter_map(|quote| quote.get("text").and_then(Value::as_str).map(str::to_owned))
        .collect();
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<&str>>().join(" ");
    let all: BTreeSet<String> =
        PAGES.iter().map(|page| squeezed(&format!("{} {}", page.question, page.text))).collect();
    let wrong = quotes.iter().filter(|quote| !all.iter().any(|page| page.contains(&squeezed(quote)))).count();
    let completed =
        at("/status") == "completed" && at("/report").as_str().is_some_and(|report| !report.is_empty());
    let ok = completed && wrong == 0 && !quotes.is_empty();
    let measured = format!("{wrong} of {} kept, {} invented and dropped", quotes.len(), at("/web/invented"));
    let why =
        if completed { String::new() } else { format!("; {}", stderr.lines().last().unwrap_or_default()) };
    Figure::judged(WHOLE, ok, measured, "0, and a finished report").with_note(format!(
        "the program's own prompts, searches in the simulated Wikipedia, pages of the small web; status {}, {} attempts{why}",
        at("/status"),
        at("/web/attempts"),
    ))
}

/// A page about something made up. Its first sentence answers the question and has a number in it.
struct SmallModelPage {
    question: &'static str,
    text: &'static str,
}

impl SmallModelPage {
    fn prompt(&self) -> String {
        let (question, text) = (self.question, self.text);
        format!("{EXAMPLE}\n\n<page>\n{text}\n</page>\n<question>\n{question}\n</question>\nAnswer:")
    }

    fn sentence(&self) -> &'static str {
        self.text.split("\n\n").next().unwrap_or_default()
    }
}

/// One page that was read before, so that the model sees what copying is. It copies from this one, too.
const EXAMPLE: &str = "<page>\nBees make honey. A hive has one queen. Honey never spoils.\n</page>\n<question>\nHow many queens has a hive?\n</question>\nAnswer: {\"relevant\": true, \"quotes\": [\"A hive has one queen.\"], \"facts\": [], \"links\": []}";
const PAGES: &[SmallModelPage] = &[
    SmallModelPage {
        question: "How many books does the library of Kessel have?",
        text: "The library of Kessel has 412,000 books and 3,100 maps.\n\nThe library opens at nine o'clock.\n\nReaders from every country are welcome.",
    },
    SmallModelPage {
        question: "When was the Grebe Bridge opened?",
        text: "The Grebe Bridge in Ostholm was opened on 19 March 1932.\n\nThe arch spans 503 metres and is painted grey.\n\nIt took eight years to build.",
    },
    SmallModelPage {
        question: "Who invented the Talbot lamp?",
        text: "The Talbot lamp was invented by Maria Sole in 1891.\n\nThe lamp burns for 40 hours on one filling.\n\nMiners in the north still use it.",
    },
    SmallModelPage {
        question: "How high is Mount Varda?",
        text: "Mount Varda is 2,815 metres high.\n\nThe first to climb it was Ilse Brandt in 1874.\n\nIn winter the road to the village is closed.",
    },
];

/// llama.cpp's server as a process of its own, ended with us.
pub struct LlamaServer {
    pub base_url: String,
    _process: ProcessGroup,
}

impl LlamaServer {
    /// The server when its model is loaded; nothing if it is not installed.
    pub fn start() -> anyhow::Result<Option<Self>> {
        let tools = rig::repository().join(".tools/small-model");
        let (python, model) =
            (tools.join("python/bin/python"), tools.join("SmolLM2-135M-Instruct.Q4_1.gguf"));
        if !python.exists() || !model.exists() {
            return Ok(None);
        }
        let script = rig::repository().join("benches/checks/small-model/serve.py");
        let mut command = rig::command(python);
        let mut process =
            ProcessGroup::spawn(command.arg(script).arg(model).stdout(Stdio::piped()).stderr(Stdio::null()))?;
        let stdout = process.child.stdout.take().context("the server has no stdout")?;
        let line =
            rig::first_line_with(stdout, "base_url").context("the small model's server did not start")?;
        let ready: serde_json::Value = serde_json::from_str(&line)?;
        let base_url = ready.get("base_url").and_then(|url| url.as_str()).context("no base_url")?.to_owned();
        Ok(Some(Self { base_url, _process: process }))
    }

    /// The real program with this model as its only one, and these settings beside.
    pub fn run_program(
        &self,
        stand: &EvidenceTestBed<'_>,
        arguments: &[&str],
        settings: &[(&str, &str)],
    ) -> anyhow::Result<ChildProcessOutput> {
        let mut command = stand.command(arguments);
        command
            .env("PROBITY_CHAT__BASE_URL", &self.base_url)
            .env("PROBITY_CHAT__MODEL", MODEL)
            .env_remove("PROBITY_CHAT__STANDS_FOR")
            .env_remove("OPENAI_API_KEY")
            .envs(settings.iter().copied());
        let finished = rig::run(&mut command, PATIENCE)?;
        anyhow::ensure!(finished.in_time, "the program hangs: {}", finished.stderr);
        Ok(finished)
    }
}
