//! `probity research` from the question to the report.

use expect_test::expect;

use crate::harness::{World, document};

#[test]
fn the_report_is_on_stdout_and_the_progress_on_stderr() {
    let world = World::new();
    let done = world.run(&["research", "How tall is the Eiffel Tower?"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.starts_with("# How tall is the Eiffel Tower?\n"), "{}", done.out);
    assert!(!done.out.contains("started"), "{}", done.out);
    let lines: Vec<String> = world.redacted(&done.err).lines().map(str::to_owned).collect();
    assert_eq!(lines[0], "research res_ID started");
    assert_eq!(
        lines[1],
        "estimate: $1.00 to $3.00 and 5 to 15 min; basis: the provider's documentation of this agent \
         (not yet your own history)"
    );
    let end = lines.iter().position(|line| line.starts_with("✓ completed · ")).unwrap();
    assert!(lines[end].ends_with(" · 6 sources · $1.23"), "{}", done.err);
    // Nobody answers for the cited pages here, and that is said.
    assert!(lines[end + 1].starts_with("not verified: "), "{}", done.err);
    assert!(lines[end + 1].contains("6 unreachable"), "{}", done.err);
    assert_eq!(world.ledger().entries().len(), 1);
}

#[test]
fn json_is_exactly_one_document() {
    let world = World::new();
    let done = world.run(&["research", "--json", "why"]);
    let mut found = document(&done);
    for field in ["task_id", "asked_at", "updated_at", "ended_at", "remote_id"] {
        assert!(found[field].is_string(), "{field}: {}", found[field]);
        found[field] = "REDACTED".into();
    }
    // How much of a short run was seen before its end depends on the machine.
    for count in ["steps", "searches", "pages"] {
        assert!(found["progress"][count].is_u64(), "{count}");
        found["progress"][count] = "COUNT".into();
    }
    found["report"] = found["report"].as_str().unwrap().lines().next().unwrap().into();
    expect![[r##"
        {
          "agent": "deep-research-preview-04-2026",
          "approval": {
            "channel": "setting",
            "up_to_usd": null
          },
          "asked_at": "REDACTED",
          "cancel_answer": null,
          "cost_basis": "provider usage x price table",
          "cost_usd": 1.2306,
          "ended_at": "REDACTED",
          "engine": "gemini-api",
          "engine_reason": null,
          "evidence": {
            "checker": "probity-checks/1",
            "checks": [],
            "claims": [
              {
                "cites": [
                  0
                ],
                "context": {
                  "headings": [
                    "why"
                  ]
                },
                "end": 50,
                "id": "C1",
                "kind": "fact",
                "load_bearing": true,
                "source_numbers": [
                  1
                ],
                "start": 7,
                "words": "The first deployment was in 2015."
              },
              {
                "cites": [
                  0,
                  1
                ],
                "context": {
                  "before": "The first deployment was in 2015.",
                  "headings": [
                    "why"
                  ]
                },
                "end": 93,
                "id": "C2",
                "kind": "fact",
                "load_bearing": true,
                "source_numbers": [
                  1,
                  4
                ],
                "start": 51,
                "words": "Finding 1 is stated by source 1."
              },
              {
                "cites": [
                  4,
                  2
                ],
                "context": {
                  "before": "Finding 1 is stated by source 1.",
                  "headings": [
                    "why"
                  ]
                },
                "end": 136,
                "id": "C3",
                "kind": "fact",
                "load_bearing": true,
                "source_numbers": [
                  2,
                  5
                ],
                "start": 94,
                "words": "Finding 2 is stated by source 2."
              },
              {
                "cites": [
                  5,
                  3
                ],
                "context": {
                  "before": "Finding 2 is stated by source 2.",
                  "headings": [
                    "why"
                  ]
                },
                "end": 179,
                "id": "C4",
                "kind": "fact",
                "load_bearing": true,
                "source_numbers": [
                  3,
                  6
                ],
                "start": 137,
                "words": "Finding 3 is stated by source 3."
              },
              {
                "cites": [
                  0,
                  1
                ],
                "context": {
                  "headings": [
                    "why"
                  ]
                },
                "end": 248,
                "id": "C5",
                "kind": "fact",
                "load_bearing": true,
                "source_numbers": [
                  1,
                  4
                ],
                "start": 182,
                "words": "Später folgte die zweite Generation – 4096 Einheiten."
              },
              {
                "cites": [
                  4,
                  2
                ],
                "context": {
                  "before": "Später folgte die zweite Generation – 4096 Einheiten.",
                  "headings": [
                    "why"
                  ]
                },
                "end": 299,
                "id": "C6",
                "kind": "fact",
                "load_bearing": true,
                "source_numbers": [
                  2,
                  5
                ],
                "start": 249,
                "words": "日本語の資料も同じ数を示す."
              }
            ],
            "passages": [],
            "sentences": [
              {
                "claims": [
                  "C1"
                ],
                "end": 50,
                "start": 7
              },
              {
                "claims": [
                  "C2"
                ],
                "end": 93,
                "start": 51
              },
              {
                "claims": [
                  "C3"
                ],
                "end": 136,
                "start": 94
              },
              {
                "claims": [
                  "C4"
                ],
                "end": 179,
                "start": 137
              },
              {
                "claims": [
                  "C5"
                ],
                "end": 248,
                "start": 182
              },
              {
                "claims": [
                  "C6"
                ],
                "end": 299,
                "start": 249
              }
            ],
            "settled": [
              {
                "claim": "C1",
                "confidence": 100,
                "origins": 0,
                "verdict": "not-checked",
                "why": "unreachable"
              },
              {
                "claim": "C2",
                "confidence": 100,
                "origins": 0,
                "verdict": "not-checked",
                "why": "unreachable"
              },
              {
                "claim": "C3",
                "confidence": 100,
                "origins": 0,
                "verdict": "not-checked",
                "why": "unreachable"
              },
              {
                "claim": "C4",
                "confidence": 100,
                "origins": 0,
                "verdict": "not-checked",
                "why": "unreachable"
              },
              {
                "claim": "C5",
                "confidence": 100,
                "origins": 0,
                "verdict": "not-checked",
                "why": "unreachable"
              },
              {
                "claim": "C6",
                "confidence": 100,
                "origins": 0,
                "verdict": "not-checked",
                "why": "unreachable"
              }
            ],
            "sources": [
              {
                "number": 1,
                "origin": 0,
                "state": {
                  "state": "unreachable",
                  "why": "nobody answers: Connection refused"
                },
                "title": "source-0.example.com",
                "url": "https://vertexaisearch.cloud.google.com/grounding-api-redirect/AAA0"
              },
              {
                "number": 4,
                "origin": 1,
                "state": {
                  "state": "unreachable",
                  "why": "nobody answers: Connection refused"
                },
                "title": "Source 1",
                "url": "https://source-0.example.com/page"
              },
              {
                "number": 5,
                "origin": 1,
                "state": {
                  "state": "unreachable",
                  "why": "nobody answers: Connection refused"
                },
                "title": "Source 2",
                "url": "https://source-1.example.com/page"
              },
              {
                "number": 6,
                "origin": 1,
                "state": {
                  "state": "unreachable",
                  "why": "nobody answers: Connection refused"
                },
                "title": "Source 3",
                "url": "https://source-2.example.com/page"
              },
              {
                "number": 2,
                "origin": 4,
                "state": {
                  "state": "unreachable",
                  "why": "nobody answers: Connection refused"
                },
                "title": "",
                "url": "https://vertexaisearch.cloud.google.com/grounding-api-redirect/AAA1"
              },
              {
                "number": 3,
                "origin": 5,
                "state": {
                  "state": "unreachable",
                  "why": "nobody answers: Connection refused"
                },
                "title": "",
                "url": "https://vertexaisearch.cloud.google.com/grounding-api-redirect/AAA2"
              }
            ],
            "verification": {
              "contested": 0,
              "contradicted": 0,
              "evidence_holds": false,
              "facts": {
                "check_failed": 0,
                "contested": 0,
                "contradicted": 0,
                "factual": 6,
                "not_checked": 0,
                "not_in_source": 0,
                "partly": 0,
                "qualified": 0,
                "quoted": 0,
                "restated": 0,
                "supported": 0,
                "uncited": 0,
                "unreachable": 6
              },
              "failing": [
                "C1",
                "C2",
                "C3",
                "C4",
                "C5",
                "C6"
              ],
              "load_bearing": 6,
              "load_bearing_supported": 0,
              "rule": "every-fact-supported2",
              "rule_in_words": "every factual sentence is supported by a stored page, contested ones by two independent origins, or says only what supported ones say; none is uncited, none is contradicted, no part of the text was left out; the judge passed its exam or is trusted by the settings; and the model that wrote it, where it was asked, confirms it",
              "single_origin": [],
              "verified": false
            }
          },
          "exit_code": 0,
          "note": null,
          "problem": null,
          "progress": {
            "current_action": "completed",
            "pages": "COUNT",
            "percent": 100,
            "percent_is_estimated": false,
            "searches": "COUNT",
            "steps": "COUNT"
          },
          "queries": [
            "why overview 0",
            "why evidence 0",
            "why overview 1",
            "why evidence 1",
            "why overview 2",
            "why evidence 2"
          ],
          "query": "why",
          "remote_id": "REDACTED",
          "report": "# why",
          "rounds": null,
          "schema_version": 1,
          "sources": [
            {
              "number": 1,
              "title": "source-0.example.com",
              "url": "https://vertexaisearch.cloud.google.com/grounding-api-redirect/AAA0"
            },
            {
              "number": 2,
              "title": "source-1.example.com",
              "url": "https://vertexaisearch.cloud.google.com/grounding-api-redirect/AAA1"
            },
            {
              "number": 3,
              "title": "source-2.example.com",
              "url": "https://vertexaisearch.cloud.google.com/grounding-api-redirect/AAA2"
            },
            {
              "number": 4,
              "title": "Source 1",
              "url": "https://source-0.example.com/page"
            },
            {
              "number": 5,
              "title": "Source 2",
              "url": "https://source-1.example.com/page"
            },
            {
              "number": 6,
              "title": "Source 3",
              "url": "https://source-2.example.com/page"
            }
          ],
          "sources_count": 6,
          "status": "completed",
          "success": true,
          "task_id": "REDACTED",
          "updated_at": "REDACTED",
          "usage": {
            "cached_tokens": 135000,
            "input_tokens": 306000,
            "output_tokens": 64800,
            "searches": 6,
            "thought_tokens": 10800,
            "tool_use_tokens": 81000,
            "total_tokens": 370800
          },
          "verification_basis": "0 of 6 factual sentences are supported, 6 unreachable: C1 (not checked: unreachable), C2 (not checked: unreachable), C3 (not checked: unreachable), C4 (not checked: unreachable), C5 (not checked: unreachable), C6 (not checked: unreachable)",
          "verified": false
        }"##]]
    .assert_eq(&serde_json::to_string_pretty(&found).unwrap());
}

#[test]
fn missing_usage_is_an_unknown_cost_and_not_zero() {
    let world = World::new();
    let found = world.json(&["research", "--json", "[[usage-missing]] x"]);
    assert_eq!(found["status"], "completed");
    assert!(found["cost_usd"].is_null(), "{found}");
    assert_eq!(found["cost_basis"], "unknown");
    let list = world.run(&["runs", "list"]);
    assert!(list.out.contains("  unknown  [[usage-missing]] x"), "{}", list.out);
}

#[test]
fn without_a_key_nothing_is_written() {
    let world = World::new();
    let child = world
        .command(&["research", "--agent", "deep-research-preview-04-2026", "x"])
        .env_remove("GEMINI_API_KEY")
        .spawn()
        .unwrap();
    let done = crate::harness::finish(child);
    assert_eq!(done.code, 6);
    expect![[r#"
        error[KEY_MISSING]: there is no API key
        hint: set GEMINI_API_KEY, then run `probity doctor`
        more: probity explain KEY_MISSING
    "#]]
    .assert_eq(&done.err);
    assert!(!world.data().exists());
}

#[test]
fn an_unknown_agent_is_answered_with_the_known_ones() {
    let world = World::new();
    let done = world.run(&["research", "--agent", "gpt-99", "x"]);
    assert_eq!(done.code, 2);
    expect![[r#"
        error[UNKNOWN_AGENT]: --agent: `gpt-99` is not a known agent; known: deep-research-preview-04-2026, deep-research-max-preview-04-2026, deep-research-pro-preview-12-2025
        hint: list the known agents with `probity doctor`, then pass one with `--agent`, or leave it out
        more: probity explain UNKNOWN_AGENT
    "#]]
    .assert_eq(&done.err);
}

#[test]
fn an_empty_question_is_refused_also_as_json() {
    let world = World::new();
    let done = world.run(&["research", "--json", "  "]);
    assert_eq!(done.code, 2);
    expect![[r#"
        {
          "schema_version": 1,
          "success": false,
          "problem": {
            "code": "INVALID_QUERY",
            "message": "the question is empty",
            "causes": [],
            "hint": "ask one question: `probity research \"…\"`",
            "page": "docs/errors/INVALID_QUERY.md",
            "http_status": null,
            "retry_after_ms": null
          },
          "exit_code": 2
        }
    "#]]
    .assert_eq(&done.out);
    assert_eq!(world.ledger().entries().len(), 0);
}

#[test]
fn a_budget_below_the_cheapest_run_is_refused_before_anything_is_paid() {
    let world = World::new();
    let done = world.run(&["research", "--budget", "0.50", "x"]);
    assert_eq!(done.code, 5);
    assert!(
        done.err.contains("error[BUDGET]: this costs $1.00 or more, above its budget of $0.50"),
        "{}",
        done.err
    );
    assert_eq!(world.ledger().entries().len(), 0);
}

#[test]
fn a_plan_is_shown_and_nothing_starts_without_a_yes() {
    let world = World::new();
    let done = world.run(&["research", "--plan", "--budget", "2.5", "--max-time", "20m", "why"]);
    assert_eq!(done.code, 0);
    expect![[r#"
        plan
          question  why
          engine    gemini-api
          agent     deep-research-preview-04-2026
          searches  about 80
          cost      $1.00 to $3.00, likely $1.50
          budget    $2.50
          time      5 to 15 min, likely 10
          deadline  20 min
          basis     the provider's documentation of this agent (not yet your own history)
        nothing was started; add `--yes` to start without being asked
    "#]]
    .assert_eq(&done.err);
    assert_eq!(world.ledger().entries().len(), 0);
    let done = world.run(&["research", "--plan", "--yes", "why"]);
    assert_eq!((done.code, world.ledger().entries().len()), (0, 1), "{}", done.err);
}

#[test]
fn raw_is_the_providers_own_answer() {
    let world = World::new();
    let done = world.run(&["research", "--raw", "why"]);
    let raw = document(&done);
    assert_eq!(raw["status"], "completed");
    assert_eq!(world.run(&["runs", "show", "last", "--raw"]).out, done.out);
}

#[test]
fn an_invisible_fresh_run_is_waited_for() {
    for scenario in ["early-404", "early-403"] {
        let world = World::new();
        let question = format!("[[{scenario} for_ms=20000]] x");
        let done = world.run(&["research", &question]);
        assert_eq!(done.code, 0, "{scenario}: {}", done.err);
        assert_eq!(world.ledger().entries().len(), 1);
    }
}

#[test]
fn two_processes_share_one_store() {
    let world = World::new();
    let children: Vec<_> =
        ["one", "two", "three"].map(|question| world.start(&["research", question])).into();
    for child in children {
        let done = crate::harness::finish(child);
        assert_eq!(done.code, 0, "{}", done.err);
    }
    let ledger = world.ledger();
    assert_eq!((ledger.entries().len(), ledger.duplicates()), (3, Vec::new()));
    let listed = world.json(&["runs", "list", "--json"]);
    assert_eq!(listed["researches"].as_array().unwrap().len(), 3);
}
