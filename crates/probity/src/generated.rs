//! Pages of the documentation that are made from the code. A test fails when a committed page differs;
//! `UPDATE=1 cargo test -p probity generated` writes them anew.
#![expect(clippy::disallowed_methods, reason = "tests read UPDATE; the program does not")]

use std::{fs, path::PathBuf};

use clap::CommandFactory as _;
use probity_research::{
    Code,
    agent::AgentName,
    estimate::{self, Estimate},
    query::Query,
    rounds::{Mode, RoundsPlan},
};
use probity_server::tools::ToolName;

use crate::{
    arguments::CliArguments,
    environment, error_docs,
    exit::Exit,
    settings::definitions::{self, ProjectRule},
};

const MADE: &str = "<!-- Made from the code by a test of the `probity` crate. Do not edit. -->\n\n";

#[track_caller]
fn check(page: &str, text: &str) {
    compare_with_committed(page, &format!("{MADE}{text}"));
}

/// Compares with the committed file, or writes it when asked to.
#[track_caller]
pub fn compare_with_committed(page: &str, expected: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, expected).unwrap();
        return;
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, expected, "docs/{page} is out of date: run `UPDATE=1 cargo test -p probity generated`");
}

#[test]
fn settings() {
    let mut text = "# Settings\n\nWritten in TOML, or as a variable. Last wins: defaults, `/etc/probity/config.toml`, \
        `$XDG_CONFIG_HOME/probity/config.toml`, the nearest `probity.toml` from the working directory upward, \
        variables, flags. `probity config show --origin` says where each value comes from, `probity config set KEY \
        VALUE` and `probity config unset KEY` change the second of these files.\n\n\
        A project's `probity.toml` arrives with a cloned repository, so it may only tighten. Keys are no \
        settings: they come from variables, or from the private file that `probity setup` and `probity config set` write.\n"
        .to_owned();
    for known in definitions::all() {
        let default =
            if known.default.is_empty() { "none".to_owned() } else { format!("`{}`", known.default) };
        let in_project = match known.in_project {
            ProjectRule::OnlyLower => "may only lower it",
            ProjectRule::OnlyCheaper => "may only choose an agent that costs no more",
            ProjectRule::Refused => "may not set it",
        };
        text.push_str(&format!(
            "\n## `{}`\n\n{}\n\n- value: {}\n- default: {default}\n- variable: `{}`\n- a project: {in_project}\n",
            known.key,
            known.meaning,
            known.kind.expected(),
            known.variable()
        ));
    }
    check("generated/settings.md", &text);
}

#[test]
fn environment_variables() {
    let mut text =
        "# Environment\n\nAn empty variable counts as not set. A `PROBITY_` variable that is not listed \
        here is refused: a misspelt budget must not pass as none.\n\n| variable | meaning |\n| --- | --- |\n"
            .to_owned();
    for variable in environment::known() {
        text.push_str(&format!("| `{}` | {} |\n", variable.name, variable.meaning));
    }
    for known in definitions::all() {
        text.push_str(&format!("| `{}` | Sets `{}`. {} |\n", known.variable(), known.key, known.meaning));
    }
    check("generated/environment.md", &text);
}

#[test]
fn exit_codes() {
    let mut text =
        "# Exit codes\n\nStable. The error code on stderr says more; `docs/errors/` has a page for \
        each.\n\n| code | meaning |\n| --- | --- |\n"
            .to_owned();
    for exit in Exit::ALL {
        text.push_str(&format!("| {} | {} |\n", exit.number(), exit.meaning()));
    }
    check("generated/exit-codes.md", &text);
}

#[test]
fn command_line() {
    let mut text = "# Command line\n".to_owned();
    help(CliArguments::command().term_width(100), "probity", &mut text);
    check("generated/cli.md", &text);
}

fn help(mut command: clap::Command, name: &str, text: &mut String) {
    let shown = command.clone().bin_name(name).render_help().to_string();
    let trimmed: Vec<&str> = shown.lines().map(str::trim_end).collect();
    text.push_str(&format!("\n## `{name}`\n\n```text\n{}\n```\n", trimmed.join("\n").trim_end()));
    command.build();
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        help(inner.clone(), &format!("{name} {}", inner.get_name()), text);
    }
}

#[test]
fn errors() {
    let mut index = "# Error codes\n\n| code | what happened |\n| --- | --- |\n".to_owned();
    for code in Code::ALL {
        let what = error_docs::what_happened(*code);
        let first = what.split_inclusive(". ").next().unwrap_or(what).trim();
        index.push_str(&format!("| [{code}]({code}.md) | {first} |\n"));
        check(&format!("errors/{code}.md"), &error_docs::error_page(*code));
    }
    check("errors/index.md", &index);
}

#[test]
fn tools() {
    let mut text =
        "# MCP tools\n\nWhat `tools/list` says, and the whole shape of each answer. Nothing in an \
        answer is required: a handle, a finished report, a question and an error fit the same schema.\n"
            .to_owned();
    for name in ToolName::ALL {
        let tool = name.definition();
        let pretty = |schema: &serde_json::Map<String, serde_json::Value>| {
            serde_json::to_string_pretty(schema).unwrap_or_default()
        };
        text.push_str(&format!(
            "\n## `{}`\n\n{}\n\nArguments:\n```json\n{}\n```\nAnswer:\n```json\n{}\n```\n",
            name.as_str(),
            tool.description.as_deref().unwrap_or_default(),
            pretty(&tool.input_schema),
            pretty(&name.full_output_schema()),
        ));
    }
    check("generated/tools.md", &text);
}

#[test]
fn tools_say_what_they_usually_cost_and_take() {
    let default = |key: &str| definitions::all().find(|known| known.key == key).unwrap().default;
    let rounds = |mode| {
        let plan = RoundsPlan::new(mode, default("rounds.max_iterations").parse().unwrap());
        estimate::rounds(&plan, &Query::parse("why?").unwrap(), "2026-11-15")
    };
    let agent = AgentName::parse(default("research.agent"), &[]).unwrap();
    let report =
        estimate::estimate(&agent, &Query::parse("how do heat pumps work, and where?").unwrap(), &[]);
    let usual = |price: &Estimate| {
        let dollars = (price.cost_likely.as_usd() * 10.0).round() / 10.0;
        format!("Usually ${dollars}, {} min", price.minutes_likely)
    };
    for (tool, words) in [
        (ToolName::Search, usual(&rounds(Mode::Search))),
        (ToolName::DeepSearch, usual(&rounds(Mode::DeepSearch))),
        (ToolName::DeepResearch, usual(&rounds(Mode::DeepResearch))),
        (ToolName::FollowUpResearch, usual(&estimate::follow_up())),
        (ToolName::StartDeepResearch, {
            let [least, likely, most] =
                [report.cost_min, report.cost_likely, report.cost_max].map(|cost| cost.as_usd());
            let (minutes, from, to) = (report.minutes_likely, report.minutes_min, report.minutes_max);
            format!("Usually ${likely} (${least}-{most}), {minutes} min ({from}-{to})")
        }),
    ] {
        let said = tool.facts().description;
        assert!(said.contains(&words), "{}: `{words}` is not in: {said}", tool.as_str());
    }
}
