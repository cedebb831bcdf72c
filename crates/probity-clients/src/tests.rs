#![allow(clippy::string_slice, reason = "tests panic")]

use expect_test::{Expect, expect};

use crate::{
    EditKind, Error, FILE_BYTES_MAX, FileEdit, ForeignEntryPolicy, McpClient, ServerEntry,
    client::ConfigFormat, install, manual_lines, read, uninstall,
};

fn ours() -> ServerEntry {
    ServerEntry::for_program("/opt/probity/bin/probity")
}

fn put(client: McpClient, text: Option<&str>) -> Result<FileEdit, Error> {
    install(client, text, &ours(), ForeignEntryPolicy::Refused)
}

/// A file of each client as people have them: comments, keys we know nothing of, another server.
fn fixture(client: McpClient) -> &'static str {
    match client {
        McpClient::ClaudeCode => {
            "{\n  \"numStartups\": 12,\n  \"mcpServers\": {\n    \"notes\": {\n      \"type\": \"stdio\",\n      \"command\": \"notes\",\n      \"args\": []\n    }\n  },\n  \"projects\": {\n    \"/home/a\": { \"mcpServers\": { \"probity\": { \"command\": \"x\" } } }\n  }\n}\n"
        }
        McpClient::ClaudeDesktop => "{\n\t\"globalShortcut\": \"\",\n\t\"mcpServers\": {}\n}",
        McpClient::Codex => {
            "# my settings\nmodel = \"gpt-5\"   # the good one\n\n[mcp_servers.notes]\ncommand = \"notes\"\n\n[mcp_servers.notes.env]\nTOKEN = \"x\"\n\n[tui]\ntheme = 'dark'\n# the end\n"
        }
        McpClient::GeminiCli => {
            "{\n    // which look\n    \"ui\": { \"theme\": \"ANSI\", },\n    /* servers */\n    \"mcpServers\": {\n        \"notes\": { \"command\": \"notes\" }, // mine\n    },\n}\n"
        }
        McpClient::Cursor => {
            "{ \"mcpServers\": { \"notes\": { \"url\": \"https://notes.example/mcp\" } } }\n"
        }
        McpClient::VsCode => {
            "{\n  // prompts for keys\n  \"inputs\": [\n    { \"id\": \"key\", \"type\": \"promptString\" },\n  ],\n}\n"
        }
        McpClient::Zed => {
            "// Zed settings\n{\n  \"theme\": { \"mode\": \"system\" },\n  \"context_servers\": {\n    // off for now\n    \"notes\": {\n      \"enabled\": false,\n    },\n  },\n}\n"
        }
        McpClient::Goose => {
            "GOOSE_PROVIDER: google  # the one\nextensions:\n  # built in\n  developer:\n    enabled: true\n    type: builtin\n    timeout: 300\n\n  memory:\n    enabled: false\n    type: builtin\nGOOSE_MODE: auto\n"
        }
        McpClient::Windsurf => "{\"mcpServers\":{\"notes\":{\"command\":\"notes\"}}}",
        McpClient::OpenCode => {
            "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"mcp\": {\n    \"notes\": { \"type\": \"local\", \"command\": [\"notes\"], \"enabled\": false },\n  },\n}\n"
        }
    }
}

/// What the edit puts there; the rest of the fixture is checked by `every_other_byte_stays`.
fn check(client: McpClient, expected: Expect) {
    let edit = put(client, Some(fixture(client))).unwrap();
    assert_eq!(edit.change, EditKind::Added);
    expected.assert_eq(&edit.text.unwrap());
}

#[test]
fn claude_code() {
    check(
        McpClient::ClaudeCode,
        expect![[r#"
            {
              "numStartups": 12,
              "mcpServers": {
                "notes": {
                  "type": "stdio",
                  "command": "notes",
                  "args": []
                },
                "probity": {
                  "type": "stdio",
                  "command": "/opt/probity/bin/probity",
                  "args": ["mcp"],
                  "timeout": 600000
                }
              },
              "projects": {
                "/home/a": { "mcpServers": { "probity": { "command": "x" } } }
              }
            }
        "#]],
    );
}

#[test]
fn claude_desktop() {
    check(
        McpClient::ClaudeDesktop,
        expect![[r#"
        {
        	"globalShortcut": "",
        	"mcpServers": {
        		"probity": {
        			"command": "/opt/probity/bin/probity",
        			"args": ["mcp"]
        		}
        	}
        }"#]],
    );
}

#[test]
fn codex() {
    check(
        McpClient::Codex,
        expect![[r##"
        # my settings
        model = "gpt-5"   # the good one

        [mcp_servers.notes]
        command = "notes"

        [mcp_servers.notes.env]
        TOKEN = "x"

        [tui]
        theme = 'dark'
        # the end

        [mcp_servers.probity]
        command = "/opt/probity/bin/probity"
        args = ["mcp"]
        startup_timeout_sec = 30
        tool_timeout_sec = 600
    "##]],
    );
}

#[test]
fn gemini_cli() {
    check(
        McpClient::GeminiCli,
        expect![[r#"
        {
            // which look
            "ui": { "theme": "ANSI", },
            /* servers */
            "mcpServers": {
                "notes": { "command": "notes" }, // mine
                "probity": {
                    "command": "/opt/probity/bin/probity",
                    "args": ["mcp"],
                    "timeout": 600000,
                },
            },
        }
    "#]],
    );
}

#[test]
fn cursor() {
    check(
        McpClient::Cursor,
        expect![[r#"
        { "mcpServers": {
            "notes": { "url": "https://notes.example/mcp" },
            "probity": {
              "command": "/opt/probity/bin/probity",
              "args": ["mcp"]
            }
          } }
    "#]],
    );
}

#[test]
fn vs_code() {
    check(
        McpClient::VsCode,
        expect![[r#"
        {
          // prompts for keys
          "inputs": [
            { "id": "key", "type": "promptString" },
          ],
          "servers": {
            "probity": {
              "type": "stdio",
              "command": "/opt/probity/bin/probity",
              "args": ["mcp"]
            }
          },
        }
    "#]],
    );
}

#[test]
fn zed() {
    check(
        McpClient::Zed,
        expect![[r#"
        // Zed settings
        {
          "theme": { "mode": "system" },
          "context_servers": {
            // off for now
            "notes": {
              "enabled": false,
            },
            "probity": {
              "command": "/opt/probity/bin/probity",
              "args": ["mcp"],
              "timeout": 600,
            },
          },
        }
    "#]],
    );
}

#[test]
fn goose() {
    check(
        McpClient::Goose,
        expect![[r#"
        GOOSE_PROVIDER: google  # the one
        extensions:
          probity:
            name: "probity"
            description: "Deep research whose every sentence can be checked"
            type: "stdio"
            cmd: "/opt/probity/bin/probity"
            args: ["mcp"]
            enabled: true
            timeout: 600
          # built in
          developer:
            enabled: true
            type: builtin
            timeout: 300

          memory:
            enabled: false
            type: builtin
        GOOSE_MODE: auto
    "#]],
    );
}

#[test]
fn windsurf() {
    check(
        McpClient::Windsurf,
        expect![[r#"
        {"mcpServers":{
            "notes":{"command":"notes"},
            "probity": {
              "command": "/opt/probity/bin/probity",
              "args": ["mcp"]
            }
          }}"#]],
    );
}

#[test]
fn open_code() {
    check(
        McpClient::OpenCode,
        expect![[r#"
        {
          "$schema": "https://opencode.ai/config.json",
          "mcp": {
            "notes": { "type": "local", "command": ["notes"], "enabled": false },
            "probity": {
              "type": "local",
              "command": ["/opt/probity/bin/probity", "mcp"],
              "enabled": true,
            },
          },
        }
    "#]],
    );
}

#[test]
fn open_code_of_the_second_generation() {
    let text = "{\n  \"mcp\": {\n    \"servers\": {}\n  }\n}\n";
    let edit = put(McpClient::OpenCode, Some(text)).unwrap();
    expect![[r#"
        {
          "mcp": {
            "servers": {
              "probity": {
                "type": "local",
                "command": ["/opt/probity/bin/probity", "mcp"]
              }
            }
          }
        }
    "#]]
    .assert_eq(&edit.text.unwrap());
}

#[test]
fn a_missing_and_an_empty_file_become_the_lines_to_paste() {
    for client in McpClient::ALL {
        for text in [None, Some(""), Some("\n"), Some("  \n\n")] {
            let edit = put(client, text).unwrap();
            let written = edit.text.unwrap();
            assert_eq!(edit.change, EditKind::Added);
            assert_eq!(read(client, &written).unwrap(), Some(ours()), "{client:?} {text:?}");
            assert_eq!(written.trim_start(), manual_lines(client, &ours()), "{client:?} {text:?}");
        }
    }
}

#[test]
fn a_second_time_nothing_changes() {
    for client in McpClient::ALL {
        let once = put(client, Some(fixture(client))).unwrap().text.unwrap();
        let twice = put(client, Some(&once)).unwrap();
        assert_eq!(twice, FileEdit { text: Some(once), change: EditKind::Nothing }, "{client:?}");
    }
}

#[test]
fn what_was_there_before_comes_back_byte_by_byte() {
    for client in McpClient::ALL {
        let marked = format!("\u{feff}{}", fixture(client));
        let dos = fixture(client).replace('\n', "\r\n");
        for before in [None, Some(""), Some(fixture(client)), Some(marked.as_str()), Some(dos.as_str())] {
            let installed = put(client, before).unwrap().text.unwrap();
            let edit = uninstall(client, &installed, Some(before)).unwrap();
            assert_eq!(
                edit,
                FileEdit { text: before.map(str::to_owned), change: EditKind::Removed },
                "{client:?}"
            );
        }
    }
}

#[test]
fn without_knowing_what_was_before_only_our_lines_go() {
    for client in McpClient::ALL {
        let before = fixture(client);
        let installed = put(client, Some(before)).unwrap().text.unwrap();
        let left = uninstall(client, &installed, None).unwrap().text.unwrap();
        assert_eq!(read(client, &left).unwrap(), None);
        // Objects on one line are spread for an entry, and stay so; a key made for us may stay behind, empty.
        let spread = matches!(client, McpClient::Cursor | McpClient::Windsurf | McpClient::VsCode);
        if !spread {
            assert_eq!(left, before, "{client:?}");
        }
    }
}

#[test]
fn line_ends_and_the_mark_of_the_file_are_kept() {
    for client in McpClient::ALL {
        let dos = format!("\u{feff}{}", fixture(client).replace('\n', "\r\n"));
        let installed = put(client, Some(&dos)).unwrap().text.unwrap();
        assert!(installed.starts_with('\u{feff}'), "{client:?}");
        let bare = installed.replace("\r\n", "");
        assert!(!bare.contains('\n') || !dos.contains('\n'), "{client:?}: {installed:?}");
        let left = uninstall(client, &installed, None).unwrap().text.unwrap();
        assert!(!left.replace("\r\n", "").contains('\n') || !dos.contains('\n'), "{client:?}: {left:?}");
    }
}

#[test]
fn every_other_byte_stays() {
    for client in McpClient::ALL {
        let before = fixture(client);
        let installed = put(client, Some(before)).unwrap().text.unwrap();
        let mut rest = installed.as_str();
        let punctuation = |letter: char| letter.is_whitespace() || "{},:".contains(letter);
        for word in before.split(punctuation).filter(|word| !word.is_empty()) {
            let at = rest.find(word);
            let at = at.unwrap_or_else(|| panic!("{client:?}: `{word}` is gone from {installed}"));
            rest = &rest[at..];
        }
    }
}

#[test]
fn an_older_entry_of_ours_moves_and_keeps_what_the_user_added() {
    for (client, before, kept) in [
        (
            McpClient::GeminiCli,
            "{\"mcpServers\": {\"probity\": {\"command\": \"/old/probity\", \"args\": [\"mcp\", \"serve\"], \"trust\": true}}}",
            "\"trust\": true",
        ),
        (
            McpClient::Codex,
            "[mcp_servers.probity]\ncommand = '/old/probity' # old\nargs = [\n  \"mcp\",\n]\nenabled = true\n\n[mcp_servers.probity.env]\nA = \"b\"\n",
            "A = \"b\"",
        ),
        (
            McpClient::Goose,
            "extensions:\n    probity:\n        cmd: /old/probity\n        args: [mcp, serve]\n        envs: {A: b}\n        type: stdio\n    other:\n        type: builtin\n",
            "envs: {A: b}",
        ),
        (
            McpClient::OpenCode,
            "{\"mcp\": {\"probity\": {\"type\": \"local\", \"command\": [\"npx\", \"-y\", \"probity\", \"mcp\"], \"environment\": {\"A\": \"b\"}}}}",
            "\"environment\"",
        ),
    ] {
        let edit = put(client, Some(before)).unwrap();
        let text = edit.text.unwrap();
        assert_eq!(edit.change, EditKind::Updated, "{client:?}");
        assert!(text.contains(kept), "{client:?}: {text}");
        assert!(read(client, &text).unwrap().unwrap().starts_like(&ours()), "{client:?}: {text}");
    }
}

#[test]
fn somebody_else_under_our_name_is_left_alone() {
    let json = |entry: &str| format!("{{\"mcpServers\": {{\"probity\": {entry}}}}}");
    for (client, text) in [
        (McpClient::Cursor, json("{\"command\": \"node\", \"args\": [\"/x/probity.js\"]}")),
        (McpClient::Cursor, json("{\"url\": \"https://probity.example\"}")),
        (McpClient::Cursor, json("{\"command\": [\"a\"]}")),
        (McpClient::Cursor, json("\"probity\"")),
        (McpClient::Cursor, json("{\"command\": \"/usr/bin/probity\", \"args\": [\"drive\"]}")),
        (McpClient::Codex, "[mcp_servers.probity]\nurl = \"https://x.example\"\n".to_owned()),
        (McpClient::Goose, "extensions:\n  probity:\n    type: builtin\n".to_owned()),
    ] {
        assert!(matches!(put(client, Some(&text)), Err(Error::Foreign { .. })), "{text}");
        assert!(matches!(uninstall(client, &text, None), Err(Error::Foreign { .. })), "{text}");
        let edit = install(client, Some(&text), &ours(), ForeignEntryPolicy::Replaced).unwrap();
        let replaced = edit.text.unwrap();
        assert_eq!(read(client, &replaced).unwrap(), Some(ours()), "{replaced}");
        assert!(!replaced.contains("url"), "{replaced}");
    }
    let odd = json("{\"command\": \"evil\\u001b[2J\\n\", \"args\": [\"--password=hunter2\"]}");
    let told = put(McpClient::Cursor, Some(&odd)).unwrap_err().to_string();
    assert!(!told.contains('\u{1b}') && !told.contains("hunter2") && !told.contains('\n'), "{told:?}");
}

#[test]
fn what_cannot_be_read_is_refused() {
    for (client, text) in [
        (McpClient::Cursor, "{"),
        (McpClient::Cursor, "{\"mcpServers\": {}"),
        (McpClient::Cursor, "{'mcpServers': {}}"),
        (McpClient::Cursor, "[]"),
        (McpClient::Cursor, "\"text\""),
        (McpClient::Cursor, "{} {}"),
        (McpClient::Cursor, "{\"mcpServers\": []}"),
        (McpClient::Cursor, "{\"mcpServers\": null}"),
        (McpClient::Cursor, "{\"mcpServers\": {}, \"mcpServers\": {}}"),
        (McpClient::Cursor, "{\"mcpServers\": {}, \"mcp\\u0053ervers\": {}}"),
        (McpClient::Cursor, "{\"mcpServers\": {\"probity\": {}, \"probity\": {}}}"),
        (McpClient::OpenCode, "{\"mcp\": 1}"),
        (McpClient::Codex, "model = "),
        (McpClient::Codex, "mcp_servers = {}\n"),
        (McpClient::Codex, "mcp_servers = 1\n"),
        (McpClient::Codex, "[[mcp_servers]]\na = 1\n"),
        (McpClient::Codex, "[mcp_servers]\nprobity = { command = \"/x/probity\", args = [\"mcp\"] }\n"),
        (McpClient::Goose, "extensions: [a]\n"),
        (McpClient::Goose, "extensions: {a: {type: builtin}}\n"),
        (McpClient::Goose, "\"extensions\":\n  a: 1\n"),
        (McpClient::Goose, "a: &x 1\nb: *x\nextensions:\n"),
        (McpClient::Goose, "a: 1\n---\nextensions:\n"),
        (McpClient::Goose, "a: [\n"),
        (McpClient::Goose, "- a\n"),
        (McpClient::Goose, "a: 1\na: 2\n"),
        (McpClient::Goose, "a:\n\tb: 1\n"),
    ] {
        let refused = put(client, Some(text));
        assert!(refused.is_err(), "{client:?} {text:?}: {refused:?}");
    }
}

#[test]
fn nesting_and_size_are_bounded() {
    let deep =
        |open: &str, close: &str, times: usize| format!("{}{}", open.repeat(times), close.repeat(times));
    for (client, text) in [
        (McpClient::Cursor, deep("{\"a\":", "}", 100_000)),
        (McpClient::Cursor, format!("{{\"a\": {}}}", deep("[", "]", 100_000))),
        (McpClient::Cursor, format!("{{\"a\": {}}}", deep("[", "]", 400))),
        (McpClient::Codex, format!("a = {}", deep("[", "]", 100_000))),
        (McpClient::Codex, format!("a = {}", deep("{a=", "}", 100_000))),
        (McpClient::Codex, format!("{}a = 1", "a.".repeat(100_000))),
        (McpClient::Goose, format!("a: {}", deep("[", "]", 100_000))),
        (McpClient::Goose, format!("a:\n  {}x", "- ".repeat(400_000))),
    ] {
        assert!(put(client, Some(&text)).is_err(), "{client:?}");
    }
    for client in McpClient::ALL {
        let comment = if client.format() == ConfigFormat::Json { "//" } else { "#" };
        let large = format!("{comment}{}\n", "x".repeat(FILE_BYTES_MAX));
        assert_eq!(put(client, Some(&large)), Err(Error::TooLarge { bytes: large.len() }));
        let fits = format!("{comment}{}\n", "x".repeat(FILE_BYTES_MAX - 3));
        assert!(put(client, Some(&fits)).is_ok(), "{client:?}");
    }
}

#[test]
fn keys_that_only_look_like_ours_are_not_touched() {
    let text = "note: |\n  extensions:\n    probity:\n      cmd: x\nextensions:\n  probity-two:\n    type: builtin\n";
    let installed = put(McpClient::Goose, Some(text)).unwrap().text.unwrap();
    assert!(
        installed
            .starts_with("note: |\n  extensions:\n    probity:\n      cmd: x\nextensions:\n  probity:\n")
    );
    assert_eq!(uninstall(McpClient::Goose, &installed, None).unwrap().text.as_deref(), Some(text));
    let text = "note = '''\n[mcp_servers.probity]\n'''\n";
    let installed = put(McpClient::Codex, Some(text)).unwrap().text.unwrap();
    assert_eq!(uninstall(McpClient::Codex, &installed, None).unwrap().text.as_deref(), Some(text));
}

#[test]
fn what_came_after_us_stays_when_we_go() {
    for client in McpClient::ALL {
        let before = fixture(client);
        let installed = put(client, Some(before)).unwrap().text.unwrap();
        let (changed, new) = match client.format() {
            ConfigFormat::Json => {
                let at = installed.find('{').unwrap() + 1;
                (format!("{} \"new\": 1,{}", &installed[..at], &installed[at..]), "\"new\": 1")
            }
            ConfigFormat::Toml => (format!("{installed}\n[new] # later\na = 1\n"), "[new] # later\na = 1\n"),
            ConfigFormat::Yaml => (format!("{installed}# later\nnew: 1\n"), "# later\nnew: 1\n"),
        };
        let edit = uninstall(client, &changed, Some(Some(before))).unwrap();
        let left = edit.text.unwrap();
        assert!(left.contains(new), "{client:?}: {left}");
        assert_eq!(read(client, &left).unwrap(), None);
        assert!(!left.contains("/opt/probity"), "{client:?}: {left}");
    }
}

#[test]
fn paths_with_odd_letters_arrive_as_they_are() {
    for command in [
        r"C:\Program Files\Probity\probity.exe",
        "/home/Zoë \"x\"/probity",
        "/a'b/#c: d/probity",
        "/tab\t/probity",
    ] {
        let entry = ServerEntry::for_program(command);
        for client in McpClient::ALL {
            let text = install(client, Some(fixture(client)), &entry, ForeignEntryPolicy::Refused)
                .unwrap()
                .text
                .unwrap();
            let found = read(client, &text).unwrap().unwrap();
            assert_eq!(found, entry, "{client:?}");
            assert!(found.is_ours(), "{command}");
        }
    }
}

proptest::proptest! {
    /// Whatever the file says: refused, or edited so that the entry is there and goes again.
    #[test]
    fn no_text_breaks_an_edit(text in "[ \\n\\r\\ta-c0:#/\\*\\-\\[\\]{}\",.='&|>]{0,60}", number in 0..10_usize) {
        let client = McpClient::ALL[number];
        if let Ok(edit) = put(client, Some(&text)) {
            let installed = edit.text.unwrap();
            assert_eq!(read(client, &installed).unwrap(), Some(ours()));
            let left = uninstall(client, &installed, Some(Some(&text))).unwrap();
            assert_eq!(left.text.as_deref(), Some(text.as_str()));
            if let Ok(edit) = uninstall(client, &installed, None) {
                assert_eq!(read(client, &edit.text.unwrap()).unwrap(), None);
            }
        }
    }
}

#[test]
fn a_download_with_its_system_in_the_name_is_ours_too() {
    for (command, ours) in [
        ("/opt/probity-0.2.0-x86_64-unknown-linux-musl", true),
        ("probity_linux", true),
        ("probityx", false),
        ("improbity", false),
    ] {
        assert_eq!(ServerEntry::for_program(command).is_ours(), ours, "{command}");
    }
}

#[test]
fn the_clients_own_commands_are_ready_for_a_shell() {
    let entry = ServerEntry::for_program("/home/a b/probity");
    assert_eq!(
        McpClient::ClaudeCode.own_command(&entry).as_deref(),
        Some("claude mcp add --scope user probity -- '/home/a b/probity' mcp")
    );
    assert_eq!(McpClient::Zed.own_command(&entry), None);
}
