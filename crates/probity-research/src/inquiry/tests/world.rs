//! A scripted outside for whole inquiries: what it answers, and what it was asked.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use probity_types::inquiry::{
    Block, BriefAnswer, BriefFacet, FrontAnswer, FrontSentence, InferenceMove, LineAnswer, LineQuery,
    NewNode, OutlineAnswer, OutlineOperation, OutlineRequest, QuoteRole, Requirement, RequirementKind,
    SectionAnswer, SectionRequest, Sentence, SentenceKind, SteeringNote, SurveyAnswer, SurveyQuote,
    SurveyRequest, SynthesisAnswer, SynthesisPoint, TypedFact,
};

use crate::{
    cost::{MicroUsd, Usage},
    driver_state::DriverState,
    engine_call::{EngineCall, EngineOutcome},
    error::{Code, CodedError},
    event::{Event, StoredEvent},
    id::{Digest, RunId, Sequence},
    inquiry::{InquiryPlan, InquiryState, window::word_count},
    plan::{Plan, RunLimits},
    query::Query,
    react::{Reaction, RunFinish, react},
    rounds::{Mode, RoundsPlan},
    state::RunState,
    step::{Step, next_step},
    time::Moment,
    time_left::task_limit,
    web::{
        SearchFilters,
        bill::Bill,
        page::{Extract, ExtractBlock, ExtractBlockKind, MediaKind, PageRecord, Provenance},
        plan::{RoleModels, WebCallPrices, WebModel, WebPlan},
        search::{ProviderName, SearchHit, SearchReply},
        strategy::{Strategy, StrategyHints, StrategyLevel},
        task::{FetchedPage, WebCall, WebRequest, WebTask, WebTaskOutput, WebTaskReply},
    },
};

const STEPS_MAX: usize = 6_000;
const START: Moment = Moment(1_800_000_000_000);
/// Names of which each leads to the next.
pub const CHAIN: [&str; 4] = ["Orion Institute", "Vega Institute", "Lyra Institute", "Cygnus Institute"];
pub const QUESTION: &str = "How do the river plants compare?";

pub type TaskTest = fn(&WebTask) -> bool;
pub type WorldTest = fn(&InquiryWorld) -> bool;

pub struct InquiryWorld {
    pub research: RunState,
    pub attention: DriverState,
    pub events: Vec<StoredEvent>,
    pub blobs: BTreeMap<Digest, Arc<[u8]>>,
    pub asked: Vec<WebCall>,
    /// Tasks that fail so often.
    pub refuse: Vec<(TaskTest, Code, usize)>,
    pub crash_after: Option<usize>,
    pub time_per_call: Duration,
    /// Tasks that are never answered: each takes all the time that it is given.
    pub unanswered: Option<TaskTest>,
    /// Every second page of a facet gives another value for the same thing.
    pub disputes: bool,
    /// The first page on each name of a chain mentions the next one.
    pub leads: bool,
    /// The reader returns words that stand nowhere.
    pub invents: bool,
    /// The writer leaves the second half of its quotations out and says that it was cut.
    pub is_cut: bool,
    /// Replay the whole journal after every event and compare.
    pub replays: bool,
    /// What the user says, and when: between two steps, or while calls are under way.
    pub says: Vec<(WorldTest, SteeringNote)>,
    /// How many calls had been made when each of them was said.
    pub said_after: Vec<usize>,
}

pub fn plan(level: StrategyLevel, price: Option<u64>, window: u32) -> WebPlan {
    let inquiry = InquiryPlan::new(level, None, None, window);
    let inquiry = match price {
        Some(price) => inquiry.priced(price, price * 4),
        None => inquiry,
    };
    WebPlan {
        strategy: Strategy::of(level, "the test says so"),
        hints: StrategyHints::default(),
        providers: vec![ProviderName::Tavily, ProviderName::Wikipedia],
        filters: SearchFilters::default(),
        model: price.map(|_| WebModel { name: "tester".to_owned(), local: false }),
        prices: WebCallPrices {
            searches: vec![(ProviderName::Tavily, MicroUsd(8_000))],
            ..WebCallPrices::default()
        },
        pages: Vec::new(),
        folders: Vec::new(),
        render: false,
        page_service: None,
        roles: RoleModels::default(),
        cut: None,
        inquiry: None,
        parent: None,
    }
    .with_inquiry(inquiry)
}

impl InquiryWorld {
    /// A stated budget makes the plan smaller before it begins, as planning does; without one it may spend its price.
    pub fn new(mut web: WebPlan, budget: Option<MicroUsd>) -> Self {
        let search = web.price_of_query();
        if let Some(inquiry) = web.inquiry.take() {
            let inquiry = budget.map_or(inquiry.clone(), |most| inquiry.within(most, search).0);
            web.strategy.budget = inquiry.estimate(search).max(MicroUsd(1));
            web = web.with_inquiry(inquiry);
        }
        let limits = RunLimits::new(Duration::from_secs(3600), budget);
        let plan = Plan::for_web(RoundsPlan::new(Mode::DeepResearch, 1), web, limits);
        let event = Event::Asked { query: Query::parse(QUESTION).unwrap(), plan };
        let first = StoredEvent { sequence: Sequence(1), at: START, attended_ms: 0, event };
        Self {
            research: RunState::replay(RunId::from_random(7), std::slice::from_ref(&first)).unwrap(),
            attention: DriverState::default(),
            events: vec![first],
            blobs: BTreeMap::new(),
            asked: Vec::new(),
            refuse: Vec::new(),
            crash_after: None,
            time_per_call: Duration::ZERO,
            unanswered: None,
            disputes: false,
            leads: false,
            invents: false,
            is_cut: false,
            replays: false,
            says: Vec::new(),
            said_after: Vec::new(),
        }
    }

    pub fn inquiry(&self) -> &InquiryState {
        self.research.web_state.as_ref().unwrap().inquiry.as_ref().unwrap()
    }

    fn append(&mut self, event: Event) {
        let recorded =
            StoredEvent { sequence: self.research.sequence.next(), at: START, attended_ms: 0, event };
        let text = recorded.event.encode().unwrap();
        assert_eq!(Event::decode(recorded.event.version(), &text).unwrap(), recorded.event);
        self.research.apply(&recorded).unwrap();
        self.events.push(recorded);
        if self.replays {
            let again = RunState::replay(RunId::from_random(7), &self.events).unwrap();
            assert_eq!(again, self.research, "after {} events", self.events.len());
        }
    }

    fn keep(&mut self, bytes: Vec<u8>) -> Option<Digest> {
        let digest =
            Digest(*blake3::hash(&[&self.blobs.len().to_le_bytes(), bytes.as_slice()].concat()).as_bytes());
        self.blobs.insert(digest, bytes.into());
        Some(digest)
    }

    pub fn run(mut self) -> (Self, RunFinish) {
        for _ in 0..STEPS_MAX {
            if let Some(finish) = self.take_step() {
                return (self, finish);
            }
        }
        panic!("no end after {STEPS_MAX} steps: {:?}", self.inquiry().stage)
    }

    pub fn run_until(mut self, is_there: WorldTest) -> Self {
        for _ in 0..STEPS_MAX {
            if is_there(&self) {
                return self;
            }
            assert!(self.take_step().is_none(), "it ended before");
        }
        panic!("not there after {STEPS_MAX} steps: {:?}", self.inquiry().stage)
    }

    fn take_step(&mut self) -> Option<RunFinish> {
        self.say_if_due();
        match next_step(&self.research, &self.attention) {
            Step::Record(event) => {
                self.attention.intent_is_fresh = matches!(*event, Event::GatherIntended { .. });
                self.append(*event);
            }
            Step::Wait(_) => self.attention.pause = None,
            Step::Fetch(digest) => {
                self.attention.blobs.insert(digest, Arc::clone(self.blobs.get(&digest).unwrap()));
            }
            Step::PerformAll(calls) => {
                let waited = self.perform(calls);
                self.attention.attended += self.time_per_call.max(waited);
            }
            Step::Finish(finish) => {
                self.append(finish.event(None, None, Moment(1)));
                return Some(*finish);
            }
            other @ (Step::Perform(_) | Step::Rest | Step::Recall(_)) => panic!("{other:?}"),
        }
        None
    }

    fn say_if_due(&mut self) {
        let Some(place) = self.says.iter().position(|(is_due, _)| is_due(self)) else { return };
        let (_, note) = self.says.remove(place);
        assert_eq!(self.research.steering_refusal(&note), None, "{note}");
        self.append(Event::Steered { note });
        self.said_after.push(self.asked.len());
    }

    /// Returns the longest wait among them for an answer that never came.
    fn perform(&mut self, calls: Vec<EngineCall>) -> Duration {
        let mut longest = Duration::ZERO;
        for call in calls {
            self.say_if_due();
            let EngineCall::Web(call) = call else { panic!("{call:?}") };
            if self.crash_after == Some(self.asked.len()) {
                self.crash_after = None;
                self.asked.push(*call);
                self.attention = DriverState::default();
                return longest;
            }
            let limit = self
                .unanswered
                .filter(|applies| applies(&call.task))
                .and_then(|_| task_limit(&self.research, &self.attention, &EngineCall::Web(call.clone())));
            let finding = match limit {
                Some((within, late)) => {
                    longest = longest.max(within);
                    late
                }
                None => {
                    let (output, bill) = self.answer(&call);
                    EngineOutcome::Web(Box::new(WebTaskReply { task: call.task, output, bill }))
                }
            };
            self.asked.push(*call);
            match react(&self.research, &mut self.attention, finding, Moment(0)) {
                Reaction::Append(event) => self.append(event),
                Reaction::KeepPage(page) => {
                    let snapshot = self.keep(page.snapshot.clone());
                    let text = self.keep(page.extract.encode());
                    self.append(page.event(snapshot, text));
                }
                other => panic!("{other:?}"),
            }
        }
        longest
    }

    fn answer(&mut self, call: &WebCall) -> (WebTaskOutput, Bill) {
        let refused = self.refuse.iter_mut().find(|(applies, _, left)| *left > 0 && applies(&call.task));
        if let Some((_, code, left)) = refused {
            *left -= 1;
            return (WebTaskOutput::Failed(CodedError::new(*code, "no")), Bill::NOTHING);
        }
        let usage = Usage { total_tokens: 100, ..Usage::default() };
        let bill = Bill::counted(self.research.plan.web.as_ref().unwrap().price(&call.task), usage);
        let output = match &call.ask {
            WebRequest::Brief(ask) => WebTaskOutput::Briefed(BriefAnswer {
                reader_wants: "which plant is best".to_owned(),
                requirements: vec![Requirement {
                    text: "topic0 output".to_owned(),
                    kind: RequirementKind::Content,
                }],
                facets: (0..ask.facets_max)
                    .map(|topic| BriefFacet {
                        question: format!("What is known of topic{topic} at the plants?"),
                        why: String::new(),
                        query: format!("topic{topic} plants"),
                    })
                    .collect(),
                ..BriefAnswer::default()
            }),
            WebRequest::Line(ask) => WebTaskOutput::Lined(LineAnswer {
                queries: (0..ask.queries_max)
                    .map(|number| LineQuery {
                        query: format!(
                            "topic{} plants round {} number {number}",
                            topic(&ask.facet_question),
                            ask.round
                        ),
                        gap: String::new(),
                    })
                    .collect(),
                ..LineAnswer::default()
            }),
            WebRequest::Search(ask) => WebTaskOutput::Found(SearchReply {
                hits: hits(&ask.query, usize::try_from(ask.max_results).unwrap()),
                ..SearchReply::default()
            }),
            WebRequest::Page { url, .. } => {
                WebTaskOutput::Page(Box::new(page(url, self.disputes, self.leads)))
            }
            WebRequest::Survey(ask) => WebTaskOutput::Surveyed(self.survey(ask)),
            WebRequest::Outline(ask) => WebTaskOutput::Outlined(outlined(ask)),
            WebRequest::Section(ask) => WebTaskOutput::Sectioned(self.section(ask)),
            WebRequest::Synthesis(ask) => WebTaskOutput::Synthesized(SynthesisAnswer {
                heading: String::new(),
                points: vec![
                    point("the plants differ", ask.claims.iter().take(2).map(|claim| claim.id).collect()),
                    point(
                        "output will reach 9999 soon",
                        ask.claims.iter().take(2).map(|claim| claim.id).collect(),
                    ),
                ],
            }),
            WebRequest::Front(ask) => {
                let of_claim = |claim: &probity_types::inquiry::PromptClaim| FrontSentence {
                    text: format!("In short, {}", claim.text),
                    claims: vec![claim.id],
                };
                WebTaskOutput::Fronted(FrontAnswer {
                    title: "The river plants".to_owned(),
                    answer: ask.claims.iter().take(1).map(of_claim).collect(),
                    key_points: ask.claims.iter().skip(1).take(2).map(of_claim).collect(),
                    points_heading: String::new(),
                })
            }
            other @ (WebRequest::Plan(_)
            | WebRequest::Folder { .. }
            | WebRequest::Choose(_)
            | WebRequest::Read(_)
            | WebRequest::Write(_)) => panic!("{other:?}"),
        };
        (output, bill)
    }

    fn survey(&self, ask: &SurveyRequest) -> SurveyAnswer {
        let quote = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            let value =
                line.split(" was ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap_or_default();
            SurveyQuote {
                text: if self.invents { format!("nobody ever said {line}") } else { line.to_owned() },
                facets: ask
                    .facets
                    .iter()
                    .filter(|facet| facet.question.contains(words[1]))
                    .map(|facet| facet.facet)
                    .collect(),
                role: QuoteRole::Finding,
                facts: vec![TypedFact {
                    entity: format!("plant {}", words[4]),
                    attribute: format!("{} output", words[1]),
                    value: value.to_owned(),
                    unit: "MW".to_owned(),
                    period: "2024".to_owned(),
                    as_of: String::new(),
                }],
            }
        };
        SurveyAnswer {
            quotes: ask.text.lines().filter(|line| line.starts_with("The topic")).map(quote).collect(),
            links: Vec::new(),
            new_terms: ask
                .text
                .lines()
                .filter_map(|line| line.strip_prefix("More has "))
                .map(str::to_owned)
                .collect(),
        }
    }

    /// One sentence for each quotation, together as long as asked for.
    fn section(&self, ask: &SectionRequest) -> SectionAnswer {
        let count = ask.quotes.len().max(1);
        let each = usize::try_from(ask.words).unwrap() / count;
        let told = if self.is_cut { ask.quotes.len().div_ceil(2) } else { ask.quotes.len() };
        let sentence = |quote: &probity_types::inquiry::PromptQuote| {
            let own = word_count(&quote.text);
            let more: Vec<&str> = std::iter::repeat_n("indeed", each.saturating_sub(own)).collect();
            let text = format!("{} {}", quote.text.trim_end_matches('.'), more.join(" "));
            Sentence { text: format!("{}.", text.trim()), quotes: vec![quote.id], kind: SentenceKind::Fact }
        };
        // No longer than asked for: quotations beyond are left out.
        let mut room = usize::try_from(ask.words).unwrap();
        let fits = |quote: &&probity_types::inquiry::PromptQuote| {
            let fits = room > 0;
            room = room.saturating_sub(word_count(&quote.text));
            fits
        };
        let mut sentences: Vec<Sentence> =
            ask.quotes.iter().take(told).take_while(fits).map(sentence).collect();
        let unknown = vec![probity_types::inquiry::QuoteId(99_999)];
        sentences.push(Sentence {
            text: "An invented thing of 77777 stands nowhere.".to_owned(),
            quotes: unknown,
            kind: SentenceKind::Fact,
        });
        sentences.push(Sentence {
            text: "Acme Limited will win with 4242 points.".to_owned(),
            quotes: ask.quotes.iter().take(1).map(|quote| quote.id).collect(),
            kind: SentenceKind::Inference,
        });
        SectionAnswer { blocks: vec![Block::Paragraph { sentences }], thin: Vec::new(), cut: self.is_cut }
    }

    pub fn count(&self, of: fn(&WebRequest) -> bool) -> usize {
        self.asked.iter().filter(|call| of(&call.ask)).count()
    }
}

fn point(text: &str, rests_on: Vec<probity_types::inquiry::ClaimId>) -> SynthesisPoint {
    SynthesisPoint { text: text.to_owned(), rests_on, inference_move: InferenceMove::Compare }
}

fn topic(text: &str) -> u32 {
    let digits = text.split("topic").nth(1).unwrap_or("0");
    digits.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0)
}

/// Each query finds pages of its own, each on a site of its own.
fn hits(query: &str, most: usize) -> Vec<SearchHit> {
    let name: String = query.chars().filter(char::is_ascii_alphanumeric).collect();
    let hit = |number: usize| SearchHit {
        url: format!("https://{name}{number}.example/topic{}", topic(query)),
        title: format!("Title {number} of {query}"),
        snippet: format!("snippet {number} on {query}"),
        published: None,
    };
    (0..most).map(hit).collect()
}

fn page(url: &str, disputes: bool, leads: bool) -> FetchedPage {
    let topic = topic(url);
    let seed = blake3::hash(url.as_bytes());
    let number = |at: usize| 100 + u32::from(seed.as_bytes()[at]);
    // Words of its own: pages that differ only in numbers are copies of each other.
    let word = |at: usize| -> String {
        let bytes = blake3::hash(&[seed.as_bytes().as_slice(), &at.to_le_bytes()].concat());
        bytes.as_bytes().iter().take(7).map(|byte| char::from(b'a' + byte % 26)).collect()
    };
    let mut text = format!("Page about {} at {}.\n", word(0), url.replace('/', " "));
    for line in 0..3_usize {
        let more: Vec<String> = (0..9).map(|at| word(line * 20 + at + 1)).collect();
        text.push_str(&format!(
            "The topic{topic} figure of {} was {} MW in 2024 at the river plants near {}.\n",
            word(line + 100),
            number(line),
            more.join(" "),
        ));
    }
    if disputes {
        text.push_str(&format!(
            "The topic{topic} figure of shared was {} MW in 2024 as {} says.\n",
            number(5),
            word(99)
        ));
    }
    // Its own first result stands for a name; the chain begins on the first page of the first facet.
    let before = std::iter::once("topic0 plants").chain(CHAIN);
    let next = before.zip(CHAIN).find(|(name, _)| url.contains(&format!("//{}0.", name.replace(' ', ""))));
    if let Some((_, name)) = next.filter(|_| leads) {
        text.push_str(&format!("More has {name}\n"));
    }
    let mut blocks = Vec::new();
    let mut start = 0;
    for line in text.lines() {
        let end = start + line.len();
        blocks.push(ExtractBlock { kind: ExtractBlockKind::Paragraph, start, end, source: None, page: None });
        start = end + 1;
    }
    let extract =
        Extract { title: Some(format!("Page {url}")), text: text.clone(), blocks, ..Extract::default() };
    let record = PageRecord {
        asked_url: url.to_owned(),
        final_url: url.to_owned(),
        redirects: Vec::new(),
        address: None,
        fetched_at: Moment(0),
        status: 200,
        headers: Vec::new(),
        media: MediaKind::Html,
        bytes: 10,
        provenance: Provenance::Direct,
        revalidated: false,
        overridden: false,
    };
    FetchedPage { record, snapshot: text.into_bytes(), extract }
}

/// A node for each facet, and each new quotation in the node of its facet.
fn outlined(ask: &OutlineRequest) -> OutlineAnswer {
    let of_facet = |facet| -> Vec<_> {
        ask.quotes.iter().filter(|quote| quote.facets.contains(&facet)).map(|quote| quote.id).collect()
    };
    let mut operations = Vec::new();
    for facet in &ask.facets {
        match ask.nodes.iter().find(|node| node.question == facet.question) {
            Some(node) => {
                operations.push(OutlineOperation::Bind { node: node.id, quotes: of_facet(facet.id) });
            }
            None => operations.push(OutlineOperation::Add {
                parent: None,
                new: NewNode {
                    heading: format!("On topic{}", topic(&facet.question)),
                    question: facet.question.clone(),
                    quotes: of_facet(facet.id),
                    ..NewNode::default()
                },
            }),
        }
    }
    OutlineAnswer { operations, met: Vec::new() }
}
