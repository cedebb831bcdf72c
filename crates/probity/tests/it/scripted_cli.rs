//! A Gemini CLI in a few lines of shell: its report says how it was called, which no real model would.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

/// What every question is answered with: which prompt it was, what was in it, and the words of the command.
/// A question with `PROSE` in it is answered in prose, and only whoever corrects that answers in JSON.
const SCRIPT: &str = r#"#!/bin/sh
if [ "$1" = "--version" ]; then echo 0.61.0; exit 0; fi
prompt=$(cat)
case "$prompt" in
  *"Act as a JSON formatter"*) kind=correction ;;
  *"Verify and update"*) kind=verify ;;
  *"five different perspectives"*) kind=first ;;
  *) kind=other ;;
esac
told="prompt=$kind"
case "$prompt" in *"when did the mill burn"*) told="$told query=yes" ;; esac
case "$prompt" in *"<current_result>"*"prompt=first"*) told="$told result=yes" ;; esac
case "$prompt" in *'"sources_visited"'*'"search_queries_used"'*) told="$told schema=yes" ;; esac
case "$prompt" in *'```json'*) told="$told fenced=yes" ;; esac
case "$prompt" in *"called-as-main"*) told="$told main=$(printf %s "$prompt" | sed -n 's/.*called-as-main \([^ ]*\) .*/\1/p' | head -n 1)" ;; esac
file=$(printf %s "$prompt" | grep -o '/[^ `]*temp-invalid-output-[0-9a-z-]*\.txt' | head -n 1)
if [ -n "$file" ] && grep -q called-as-main "$file"; then told="$told file=readable"; fi
model=none
while [ $# -gt 0 ]; do
  case "$1" in -m|--model) model=$2 ;; esac
  shift
done
told="$told model=$model"
echo '{"type":"init","session_id":"12345678"}'
if [ $kind != correction ]; then
  echo '{"type":"tool_use","tool_name":"google_web_search","tool_id":"1","parameters":{"query":"mill fire"}}'
  echo '{"type":"tool_result","tool_id":"1","status":"success"}'
  echo '{"type":"tool_use","tool_name":"web_fetch","tool_id":"2","parameters":{"prompt":"https://a.example/mill"}}'
  echo '{"type":"tool_result","tool_id":"2","status":"success"}'
fi
case "$kind $prompt" in
  correction*) prose=no ;;
  *PROSE*) prose=yes ;;
  *) prose=no ;;
esac
if [ $prose = yes ]; then
  content="I looked it up, called-as-main $model it was, and found a great deal."
else
  content="{\\\"success\\\":true,\\\"verified\\\":false,\\\"report\\\":\\\"It burnt (https://a.example/mill). $told\\\",\\\"metadata\\\":{\\\"sources_visited\\\":[\\\"https://a.example/mill\\\"],\\\"search_queries_used\\\":[\\\"mill fire\\\"]}}"
fi
printf '{"type":"message","role":"assistant","content":"%s"}\n' "$content"
echo '{"type":"result","status":"success","stats":{"total_tokens":10,"input_tokens":5,"output_tokens":5}}'
"#;

/// Puts it into `directory`; its path.
pub fn install(directory: &Path) -> PathBuf {
    let program = directory.join("scripted-gemini");
    fs::write(&program, SCRIPT).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}
