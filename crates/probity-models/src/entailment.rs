//! A local entailment model as a judge: the user's own program with weights whose hash was pinned.
//!
//! Asked line by line: `{"premise": "…", "hypothesis": "…"}` in, `{"entailment": 0.98, "contradiction": 0.01}` out, in
//! the same order. Nothing leaves the machine. Weights that are not the pinned ones are not used.
#![expect(clippy::disallowed_methods, reason = "the only module that starts the entailment program")]

use std::{
    io::Read as _,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use probity_research::{
    checking::{
        CheckTaskOutput,
        task::{JudgeItem, JudgeReply, JudgeRequest},
    },
    error::{Code, CodedError},
    ledger::{Opinion, PassageContext},
};
use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    process::Command,
    time::timeout,
};

/// From this on a passage is taken to entail, or to contradict, a claim. High: an unsure judge gives no
/// verdict.
const SURE: f64 = 0.9;
/// From this on the passage supports a part of the claim.
const PARTLY: f64 = 0.5;
/// Passages of one claim that are compared with it, each by itself.
const PASSAGES_MAX: usize = 6;
/// One call: some fifty pairs, and the start of a model of some hundred megabytes.
const CALL_TIME_MAX: Duration = Duration::from_secs(120);
/// Longest answer to them.
const OUTPUT_BYTES_MAX: u64 = 64 * 1024;
const HASH_CHARACTERS: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntailmentSettings {
    /// The program that runs the model; it is given the path of the weights.
    pub program: PathBuf,
    pub weights: PathBuf,
    /// BLAKE3 of the weights, in hexadecimal digits.
    pub hash: String,
}

/// A model whose weights were found to be the pinned ones.
#[derive(Debug, Clone)]
pub struct EntailmentModel {
    settings: EntailmentSettings,
}

#[derive(Serialize)]
struct EntailmentPair<'a> {
    premise: &'a str,
    hypothesis: &'a str,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct EntailmentScores {
    entailment: f64,
    #[serde(default)]
    contradiction: f64,
}

impl EntailmentModel {
    pub fn open(settings: EntailmentSettings) -> Result<Self, CodedError> {
        let found = weights_hash(&settings.weights)?;
        if settings.hash.len() != HASH_CHARACTERS || !found.eq_ignore_ascii_case(&settings.hash) {
            let message = format!(
                "the weights {} have the hash {found}, not the pinned one; they are not used",
                settings.weights.display()
            );
            return Err(CodedError::new(Code::Settings, &message));
        }
        Ok(Self { settings })
    }

    /// Its name beside verdicts: the model, and which weights exactly.
    pub fn name(settings: &EntailmentSettings) -> String {
        let file = settings.weights.file_name().map(|name| name.to_string_lossy().into_owned());
        let short: String = settings.hash.chars().take(12).collect();
        format!("{} (blake3 {short})", file.unwrap_or_default())
    }

    pub async fn ask(&self, ask: &JudgeRequest) -> CheckTaskOutput {
        match timeout(CALL_TIME_MAX, self.scores(ask)).await {
            Ok(Ok(scores)) => CheckTaskOutput::Judged(replies(ask, &scores)),
            Ok(Err(problem)) => CheckTaskOutput::Failed(problem),
            Err(_) => CheckTaskOutput::Failed(failed("it did not answer in time")),
        }
    }

    async fn scores(&self, ask: &JudgeRequest) -> Result<Vec<EntailmentScores>, CodedError> {
        let mut lines = String::new();
        for (item, passage, around) in pairs(ask) {
            let premise = joined(around.map(PassageContext::joined).unwrap_or_default(), passage);
            let hypothesis = joined(item.context.joined(), &item.words);
            let pair = EntailmentPair { premise: &premise, hypothesis: &hypothesis };
            lines.push_str(&serde_json::to_string(&pair).unwrap_or_default());
            lines.push('\n');
        }
        let mut child = Command::new(&self.settings.program)
            .arg(&self.settings.weights)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| failed(&format!("it does not start: {error}")))?;
        let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed("it has no pipes"));
        };
        let write = async move {
            // A program that stops reading is noticed by its missing answers.
            stdin.write_all(lines.as_bytes()).await.ok();
            drop(stdin);
        };
        let read = async move {
            let mut answers = BufReader::new(stdout.take(OUTPUT_BYTES_MAX)).lines();
            let mut scores = Vec::new();
            while let Ok(Some(line)) = answers.next_line().await {
                let Ok(one) = serde_json::from_str::<EntailmentScores>(&line) else {
                    return Err(failed("it answered something else than scores"));
                };
                scores.push(one);
            }
            Ok(scores)
        };
        let ((), scores) = tokio::join!(write, read);
        let scores = scores?;
        match scores.len() == pairs(ask).count() {
            true => Ok(scores),
            false => Err(failed("it did not answer every pair")),
        }
    }
}

/// The best passages of a claim: what is shown beyond them is for a judge that reads them together.
fn compared(item: &JudgeItem) -> &[String] {
    item.passages.get(..item.passages.len().min(PASSAGES_MAX)).unwrap_or_default()
}

fn pairs(ask: &JudgeRequest) -> impl Iterator<Item = (&JudgeItem, &str, Option<&PassageContext>)> {
    ask.items.iter().flat_map(|item| {
        let passages = compared(item).iter().enumerate();
        passages.map(move |(place, passage)| (item, passage.as_str(), item.passage_contexts.get(place)))
    })
}

/// What stands around a text, and the text: such a model takes one sentence only.
fn joined(around: String, words: &str) -> String {
    if around.is_empty() { words.to_owned() } else { format!("{around} — {words}") }
}

fn replies(ask: &JudgeRequest, scores: &[EntailmentScores]) -> Vec<JudgeReply> {
    let mut rest = scores;
    let mut replies = Vec::new();
    for item in &ask.items {
        let (own, others) = rest.split_at(compared(item).len().min(rest.len()));
        rest = others;
        replies.push(reply(item, own));
    }
    replies
}

/// The strictest of the passages' results: one that contradicts outweighs one that entails.
fn reply(item: &JudgeItem, scores: &[EntailmentScores]) -> JudgeReply {
    let best = |of: fn(&EntailmentScores) -> f64| {
        let ranked = item.passages.iter().zip(scores).map(|(passage, scores)| (of(scores), passage));
        ranked.max_by(|one, other| one.0.total_cmp(&other.0))
    };
    let (against, entails) = (best(|scores| scores.contradiction), best(|scores| scores.entailment));
    let (opinion, (score, passage)) = match (against, entails) {
        (Some(against), _) if against.0 >= SURE => (Opinion::Contradicts, against),
        (_, Some(entails)) if entails.0 >= SURE => (Opinion::Supports, entails),
        (_, Some(entails)) if entails.0 >= PARTLY => (Opinion::Partly, entails),
        (_, entails) => {
            let sure = 1.0 - entails.map_or(0.0, |entails| entails.0);
            return JudgeReply {
                claim: item.claim,
                opinion: Opinion::Absent,
                quotations: Vec::new(),
                confidence: percent(sure),
                reason: "no passage entails it".to_owned(),
            };
        }
    };
    JudgeReply {
        claim: item.claim,
        opinion,
        quotations: vec![passage.clone()],
        confidence: percent(score),
        reason: String::new(),
    }
}

fn percent(score: f64) -> u8 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..=100")]
    let percent = (score * 100.0).clamp(0.0, 100.0).round() as u8;
    percent
}

fn failed(why: &str) -> CodedError {
    CodedError::new(Code::UnusableAnswer, &format!("the local judge: {why}"))
}

/// BLAKE3 of the weights, as it is pinned.
pub fn weights_hash(path: &Path) -> Result<String, CodedError> {
    let unreadable = |error: std::io::Error| {
        CodedError::new(Code::Settings, &format!("the weights {} cannot be read: {error}", path.display()))
    };
    let mut file = std::fs::File::open(path).map_err(unreadable)?;
    let mut hasher = blake3::Hasher::new();
    let mut piece = vec![0; 1 << 20];
    loop {
        let read = file.read(&mut piece).map_err(unreadable)?;
        if read == 0 {
            return Ok(hasher.finalize().to_hex().to_string());
        }
        hasher.update(piece.get(..read).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use probity_research::{
        checking::{
            CheckTaskOutput,
            task::{JudgeItem, JudgeRequest},
        },
        ledger::{ClaimId, Opinion},
    };

    use super::{EntailmentModel, EntailmentSettings, weights_hash};

    /// A model that looks for one word of each kind.
    const PROGRAM: &str = "#!/bin/sh\nwhile read -r line; do case \"$line\" in \
        *rose*fell*) echo '{\"entailment\":0.01,\"contradiction\":0.97}';; \
        *rose*rose*) echo '{\"entailment\":0.98}';; \
        *) echo '{\"entailment\":0.1}';; esac; done\n";

    fn settings(folder: &std::path::Path, program: &str) -> EntailmentSettings {
        let (path, weights) = (folder.join("run"), folder.join("weights.bin"));
        std::fs::write(&path, program).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::write(&weights, b"weights").unwrap();
        EntailmentSettings { program: path, hash: weights_hash(&weights).unwrap(), weights }
    }

    fn ask() -> JudgeRequest {
        let item = |place, words: &str| JudgeItem {
            claim: ClaimId::at(place),
            words: words.to_owned(),
            context: Default::default(),
            passage_contexts: Vec::new(),
            passage_places: Vec::new(),
            passages: vec!["Nothing here.".to_owned(), "Revenue rose.".to_owned()],
            witnesses: Vec::new(),
            is_inference: false,
        };
        JudgeRequest { items: vec![item(0, "It rose."), item(1, "It fell."), item(2, "It slept.")] }
    }

    #[tokio::test]
    async fn the_strictest_passage_decides() {
        let folder = tempfile::tempdir().unwrap();
        let judge = EntailmentModel::open(settings(folder.path(), PROGRAM)).unwrap();
        let CheckTaskOutput::Judged(replies) = judge.ask(&ask()).await else { panic!("not judged") };
        let opinions: Vec<Opinion> = replies.iter().map(|reply| reply.opinion).collect();
        assert_eq!(opinions, [Opinion::Supports, Opinion::Contradicts, Opinion::Absent]);
        assert_eq!(replies[0].quotations, ["Revenue rose."]);
    }

    #[tokio::test]
    async fn only_the_best_passages_are_compared() {
        let folder = tempfile::tempdir().unwrap();
        let judge = EntailmentModel::open(settings(folder.path(), PROGRAM)).unwrap();
        let mut ask = ask();
        ask.items[0].passages = vec!["Nothing here.".to_owned(); super::PASSAGES_MAX];
        ask.items[0].passages.push("Revenue rose.".to_owned());
        let CheckTaskOutput::Judged(replies) = judge.ask(&ask).await else { panic!("not judged") };
        let opinions: Vec<Opinion> = replies.iter().map(|reply| reply.opinion).collect();
        assert_eq!(opinions, [Opinion::Absent, Opinion::Contradicts, Opinion::Absent]);
    }

    #[tokio::test]
    async fn whoever_answers_otherwise_is_an_abstention() {
        for program in
            ["#!/bin/sh\nexit 1\n", "#!/bin/sh\necho '{\"entailment\":1}'\n", "#!/bin/sh\necho yes\n"]
        {
            let folder = tempfile::tempdir().unwrap();
            let judge = EntailmentModel::open(settings(folder.path(), program)).unwrap();
            assert!(matches!(judge.ask(&ask()).await, CheckTaskOutput::Failed(_)), "{program}");
        }
    }

    #[test]
    fn other_weights_are_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let pinned = settings(folder.path(), PROGRAM);
        std::fs::write(&pinned.weights, b"others").unwrap();
        assert!(EntailmentModel::open(pinned).is_err());
    }
}
