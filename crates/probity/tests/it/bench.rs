//! `probity bench drb` against the simulator and a clone of three tasks, whose scripts only look at what they are given.

use std::{collections::BTreeSet, fs, path::PathBuf};

use serde_json::Value;

use crate::{
    harness::CommandOutput,
    web::stage::{Hands, QUESTION, Stage},
};

const OPENED: &str = "Which harbour bridge of Norwick did open before eleven thousand people?";
const CHINESE: &str = "Norwick harbour bridge 有多长？";
const PATH: (&str, &str) = ("PATH", "/usr/local/bin:/usr/bin:/bin");
/// The keys that the clone's scripts want; they are not the ones that researching wants.
const KEYS: [(&str, &str); 3] = [("OPENROUTER_API_KEY", "k"), ("JINA_API_KEY", "k"), PATH];

/// Compares nothing: a score for every whole line, so that a report that is missing or empty is noticed.
const RACE: &str = r#"
import json, os, sys
name, options = sys.argv[1], dict(zip(sys.argv[2::2], sys.argv[3::2]))
tasks = {task["id"]: task["prompt"] for task in map(json.loads, open(options["--query_file"]))}
os.makedirs(options["--output_dir"], exist_ok=True)
with open(os.path.join(options["--output_dir"], "raw_results.jsonl"), "w") as out:
    for line in open(os.path.join(options["--raw_data_dir"], name + ".jsonl")):
        article = json.loads(line)
        assert set(article) == {"id", "prompt", "article"} and tasks[article["id"]] == article["prompt"]
        assert "http://" in article["article"] and "[1]" in article["article"]
        out.write(json.dumps({"id": article["id"], "overall_score": 0.4 + article["id"] / 100}) + "\n")
"#;
/// Every step of FACT: the file before it must be there, the file after it is written.
const STEP: &str = r#"
import shutil, sys
options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
shutil.copy(options["--raw_data_path"], options["--output_path"])
"#;
const STAT: &str = r#"
import sys
options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
count = len(open(options["--input_path"]).readlines())
open(options["--output_path"], "w").write(f"total_citations: {count}\ntotal_valid_citations: {count - 1}\nvalid_rate: {(count - 1) / count}\n")
"#;

const WHOLE_FACT: &str = r#"
import sys
options = dict(zip(sys.argv[2::2], sys.argv[3::2]))
open(options["--output_dir"] + "/fact_result.txt", "w").write("total_citations: 2\ntotal_valid_citations: 1\nvalid_rate: 0.5\n")
"#;

struct Bench {
    stage: Stage,
    clone: PathBuf,
}

impl Bench {
    fn new() -> Self {
        let stage = Stage::new(Hands::Paid);
        let tasks = [(1, "en", QUESTION), (2, "en", OPENED), (3, "zh", CHINESE)];
        let lines = tasks.map(|(id, language, prompt)| {
            serde_json::json!({"id": id, "topic": "Bridges", "language": language, "prompt": prompt})
                .to_string()
                + "\n"
        });
        stage.world.write("clone/data/prompt_data/query.jsonl", &lines.concat());
        stage.world.write("clone/deepresearch_bench_race.py", RACE);
        stage.world.write("clone/utils/api.py", "os.environ.get(\"OPENROUTER_API_KEY\")");
        for step in ["extract", "deduplicate", "scrape", "validate"] {
            stage.world.write(&format!("clone/utils/{step}.py"), STEP);
        }
        stage.world.write("clone/utils/stat.py", STAT);
        let clone = stage.world.home.path().join("clone");
        Self { stage, clone }
    }

    fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> CommandOutput {
        let all =
            [&["bench", "drb", "--dir", "clone", "--depth", "shallow", "--name", "ours"], arguments].concat();
        let mut command = self.stage.command(&all);
        command.envs(variables.iter().copied());
        crate::harness::finish(command.spawn().unwrap())
    }

    fn articles_path(&self) -> PathBuf {
        self.clone.join("data/test_data/raw_data/ours.jsonl")
    }

    fn articles(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.articles_path()).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn researches(&self) -> usize {
        self.stage.json(&["runs", "list", "--json"])["researches"].as_array().unwrap().len()
    }
}

#[test]
fn a_dry_run_shows_the_price_and_nothing_starts_without_a_yes() {
    let bench = Bench::new();
    let dry = bench.run(&["--tasks", "2", "--dry-run"], &[]);
    assert_eq!(dry.code, 0, "{dry:?}");
    assert!(dry.err.contains("up to $") && dry.err.contains("2 (1 en, 1 zh)"), "{}", dry.err);
    let unasked = bench.run(&["--tasks", "2"], &[]);
    assert_eq!(unasked.code, 2, "{unasked:?}");
    assert!(
        unasked.err.contains("error[INVALID_ARGUMENTS]") && unasked.err.contains("--yes"),
        "{}",
        unasked.err
    );
    let unjudged = bench.run(&["--judge-only"], &KEYS);
    assert_eq!(unjudged.code, 2, "{unjudged:?}");
    assert!(bench.articles().is_empty() && bench.stage.chat().entries().is_empty());
    let elsewhere = bench.stage.run(&["bench", "drb", "--dir", "nowhere"]);
    assert_eq!(elsewhere.code, 2);
    assert!(
        elsewhere.err.contains("query.jsonl cannot be read") && elsewhere.err.contains("git clone"),
        "{}",
        elsewhere.err
    );
}

#[test]
fn tasks_are_researched_once_and_judged_by_the_scripts_of_the_clone() {
    let bench = Bench::new();
    let two = bench.run(&["--tasks", "2", "--yes"], &[]);
    assert_eq!(two.code, 0, "{two:?}");
    assert_eq!((bench.articles().len(), bench.researches()), (2, 2));
    // Without the clone's keys there is no score, and none is claimed.
    assert!(two.err.contains("not judged: set OPENROUTER_API_KEY"), "{}", two.err);
    assert!(
        two.out.contains("RACE                   no score\nFACT                   no score"),
        "{}",
        two.out
    );

    let all = bench.run(&["--tasks", "all", "--yes"], &KEYS);
    assert_eq!(all.code, 0, "{all:?}");
    assert_eq!((bench.articles().len(), bench.researches()), (3, 3), "{}", all.err);
    let ids: BTreeSet<u64> = bench.articles().iter().map(|line| line["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, BTreeSet::from([1, 2, 3]));
    assert!(
        all.out.contains("RACE                   42.0 (41.0 to 43.0, standard deviation 1.0, 3 tasks)"),
        "{}",
        all.out
    );
    assert!(
        all.out.contains("FACT                   66.7 % of 3.0 citations a task hold: 2.0"),
        "{}",
        all.out
    );
    assert!(all.out.contains("factual sentences supported") && all.out.contains("cost"), "{}", all.out);

    // Other versions of the benchmark have one script for FACT, and RACE is judged without the key for pages.
    bench.stage.world.write("clone/deepresearch_bench_fact.py", WHOLE_FACT);
    let one = bench.run(&["--judge-only"], &KEYS);
    assert!(one.code == 0 && one.out.contains("50.0 % of 2.0 citations a task hold: 1.0"), "{one:?}");
    let race = bench.run(&["--judge-only"], &[KEYS[0], PATH]);
    assert!(race.code == 0 && race.err.contains("FACT was not run: set JINA_API_KEY"), "{race:?}");

    // As if killed between the end of a research and its line: nothing is paid again.
    let paid = bench.stage.chat().entries().len();
    let whole = fs::read_to_string(bench.articles_path()).unwrap();
    fs::write(bench.articles_path(), &whole[..whole.len() / 2]).unwrap();
    let again = bench.run(&["--tasks", "all", "--yes"], &[]);
    assert_eq!((again.code, bench.articles().len(), bench.researches()), (0, 3, 3), "{again:?}");
    assert_eq!(bench.stage.chat().entries().len(), paid);

    bench.stage.world.write("clone/deepresearch_bench_race.py", "raise SystemExit('no module named tqdm')");
    let broken = bench.run(&["--judge-only"], &KEYS);
    assert_eq!(broken.code, 1, "{broken:?}");
    assert!(
        broken.err.contains("error[BENCH_FAILED]") && broken.err.contains("no module named tqdm"),
        "{}",
        broken.err
    );
}
