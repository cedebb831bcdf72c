"""Drives a running simulator with Google's Python SDK and says, case by case, whether it is accepted.

Usage: check.py BASE_URL RECORDED_RESULTS. The simulator must run with --manual-time. One line per case:
`ok NAME` or `FAIL NAME why`. Exits 1 if any case failed.
"""

import json
import sys
import traceback
import urllib.error
import urllib.request

from google import genai

AGENT = "deep-research-preview-04-2026"
CONFIG = {"type": "deep-research", "thinking_summaries": "auto"}
BASE_URL = sys.argv[1]
RECORDED = {case["case"]: case for case in json.load(open(sys.argv[2], encoding="utf-8"))["cases"]}
CASES = []


def client(key="test-key", **options):
    return genai.Client(api_key=key, http_options={"base_url": BASE_URL, **options})


ai = client()


def case(function):
    CASES.append(function)
    return function


def simulator(method, operation):
    request = urllib.request.Request(f"{BASE_URL}/simulator/{operation}", method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def advance(ms):
    simulator("POST", f"advance?ms={ms}")


def start(text, **fields):
    fields = {"agent": AGENT, "background": True, "agent_config": CONFIG, **fields}
    return ai.interactions.create(input=text, **fields)


def equal(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


def error_of(function):
    """The SDK's error class and status for a call that must fail."""
    try:
        value = function()
    except Exception as error:  # the class is the subject of the check
        return type(error).__name__, getattr(error, "status_code", None)
    raise AssertionError(f"no error but {value!r}")


def recorded_error(name):
    error = RECORDED[name]["exc"]
    return error["type"].rsplit(".", 1)[-1], error["status_code"]


def drain(stream):
    """Events until the stream ends, and the class of the error that ended it."""
    events = []
    try:
        for event in stream:
            events.append(event)
    except Exception as error:
        return events, type(error).__name__
    return events, None


def kinds(events):
    return [event.event_type for event in events]


def shapes(events):
    """Which fields each kind of event has, one level down too."""
    found = set()
    for event in events:
        fields = event if isinstance(event, dict) else json.loads(event.model_dump_json(exclude_unset=True, by_alias=True))
        inner = fields.get("interaction") or {}
        found.add((fields["event_type"], tuple(sorted(set(fields) - {"metadata", "step_usage"})), tuple(sorted(inner))))
    return found


@case
def create_and_poll():
    tools = [
        {"type": "google_search"},
        {"type": "url_context"},
        {"type": "code_execution"},
        {"type": "file_search", "file_search_store_names": ["fileSearchStores/x"]},
        {"type": "mcp_server", "name": "tracker", "url": "https://mcp.example.com/mcp"},
    ]
    hook = {"uris": ["https://hook.example.com/x"], "user_metadata": {"task_id": "t-1"}}
    created = start("Research TPUs", labels={"task": "py-1"}, tools=tools, store=True, webhook_config=hook)
    statuses = [created.status]
    assert created.labels is None, "a create does not echo its request"
    for _ in range(3):
        advance(1_000)
        final = ai.interactions.get(created.id)
        statuses.append(final.status)
    recorded = RECORDED["create_background_poll_completed"]["result"]
    equal((statuses[0], statuses[-1]), (recorded["statuses"][0], recorded["statuses"][-1]))
    equal([type(step).__name__.startswith("Unknown") for step in final.steps].count(True), 0)
    fields = set(json.loads(final.model_dump_json(exclude_none=True)))
    missing = set(recorded["final"]) - fields - {"__output_text", "object"}
    equal(missing, set())
    equal({step["type"] for step in recorded["final"]["steps"]}, {step.type for step in final.steps})
    equal(final.labels, {"task": "py-1"})
    assert final.usage.grounding_tool_count[0].count > 0
    assert "Später" in final.output_text


@case
def offsets_are_bytes():
    created = start("[[completed duration_ms=0]] Größe")
    cited = []
    for step in ai.interactions.get(created.id).steps:
        for content in getattr(step, "content", None) or []:
            for mark in getattr(content, "annotations", None) or []:
                cited.append(content.text.encode()[mark.start_index : mark.end_index].decode())
    assert "日本語の資料も同じ数を示す" in cited, cited


@case
def create_with_stream():
    events, error = drain(start("[[completed duration_ms=0]] TPUs", stream=True))
    equal(error, None)
    equal(shapes(events), shapes(RECORDED["create_stream"]["result"]))
    equal(events[-1].interaction.status, "completed")


@case
def clean_drop_then_resume():
    events, error = drain(start("[[drop-after duration_ms=0 clean=true]] TPUs", stream=True))
    recorded = RECORDED["stream_drop_then_resume_last_event_id"]["result"]
    equal((len(events), error, events[-1].event_id), (recorded["first_n"], recorded["drop_error"], recorded["last"]))
    resume_from(events)


@case
def cut_then_resume():
    events, error = drain(start("[[drop-after duration_ms=0]] TPUs", stream=True))
    equal((len(events), error), (8, "APIConnectionError"))
    resume_from(events)


def resume_from(events):
    interaction = events[0].interaction.id
    rest, error = drain(ai.interactions.get(interaction, stream=True, last_event_id=events[-1].event_id))
    equal(error, None)
    equal(rest[0].event_id, "evt_0009")
    equal(rest[-1].event_type, "interaction.completed")
    numbers = [int(event.event_id[4:]) for event in events + rest]
    equal(numbers, list(range(1, len(numbers) + 1)))


@case
def stream_error_then_poll():
    events, error = drain(start("[[stream-error duration_ms=0]] TPUs", stream=True))
    equal(error, None)
    recorded = RECORDED["stream_error_event"]["result"]
    equal((events[-1].event_type, events[-1].error.code), (recorded["event_type"], recorded["error"]["code"]))
    equal(ai.interactions.get(events[0].interaction.id).status, "completed")


@case
def stream_without_ids_and_with_crlf():
    events, _ = drain(start("[[no-event-id duration_ms=0]] TPUs", stream=True))
    equal({event.event_id for event in events}, {None})
    events, error = drain(start("[[crlf duration_ms=0]] TPUs", stream=True))
    equal((error, events[-1].event_type), (None, "interaction.completed"))


@case
def stream_with_only_the_end():
    events, _ = drain(start("[[stream-only-final duration_ms=0]] TPUs", stream=True))
    equal({event.step.type for event in events if event.event_type == "step.start"}, {"model_output"})


@case
def unknown_events():
    events, error = drain(start("[[unknown-enums duration_ms=0]] TPUs", stream=True))
    equal(error, None)
    recorded = {name for name, _ in RECORDED["stream_unknown_events"]["result"]}
    equal(recorded - {type(event).__name__ for event in events}, set())


@case
def unknown_status_then_completed():
    created = start("[[unknown-enums]] TPUs")
    equal(ai.interactions.get(created.id).status, RECORDED["status_weird_new_status"]["result"]["status"])
    advance(2_000)
    final = ai.interactions.get(created.id)
    equal(final.status, "completed")
    assert "UnknownStep" in {type(step).__name__ for step in final.steps}


@case
def cancel_running():
    created = start("[[cancel-ok]] TPUs")
    advance(100_000)
    equal(ai.interactions.get(created.id).status, "in_progress")
    recorded = RECORDED["cancel_running"]["result"]
    equal(ai.interactions.cancel(created.id).status, recorded["status"])
    final = ai.interactions.get(created.id)
    equal(final.status, "cancelled")
    assert {step["type"] for step in recorded["steps"]} <= {step.type for step in final.steps}


@case
def cancel_after_the_end():
    created = start("[[completed duration_ms=0]] TPUs")
    equal(error_of(lambda: ai.interactions.cancel(created.id)), recorded_error("cancel_completed_400"))


@case
def cancel_that_fails():
    equal(error_of(lambda: ai.interactions.cancel(start("[[cancel-400]] x").id)), ("BadRequestError", 400))
    equal(error_of(lambda: ai.interactions.cancel(start("[[cancel-404-array]] x").id)), ("NotFoundError", 404))


@case
def cancel_that_lags():
    created = start("[[cancel-lag]] TPUs")
    equal(ai.interactions.cancel(created.id).status, "cancelled")
    equal(ai.interactions.get(created.id).status, "in_progress")
    advance(1_000)
    equal(ai.interactions.get(created.id).status, "cancelled")


@case
def delete_then_get():
    created = start("TPUs")
    ai.interactions.delete(created.id)
    name, status = error_of(lambda: ai.interactions.get(created.id))
    equal((name, status), (RECORDED["delete_then_get"]["result"]["then_get"], 404))


@case
def plan_refine_execute():
    planning = {**CONFIG, "collaborative_planning": True}
    plan = start("[[plan]] TPUs vs others", agent_config=planning)
    advance(1_000)
    plan = ai.interactions.get(plan.id)
    equal(plan.status, "completed")
    assert "Research plan" in plan.output_text
    refined = start("Shorter, please", agent_config=planning, previous_interaction_id=plan.id)
    advance(1_000)
    assert "revision 1" in ai.interactions.get(refined.id).output_text
    executed = start("Go ahead", agent_config={**CONFIG, "collaborative_planning": False}, previous_interaction_id=refined.id)
    advance(5_000)
    final = ai.interactions.get(executed.id)
    equal((final.status, final.previous_interaction_id), ("completed", refined.id))
    assert "google_search_call" in {step.type for step in final.steps}


@case
def follow_up_with_a_model():
    running = start("[[slow]] TPUs")
    ask = lambda previous: ai.interactions.create(model="gemini-3.1-pro-preview", input="elaborate", previous_interaction_id=previous)
    equal(error_of(lambda: ask(running.id)), ("BadRequestError", 400))
    done = start("[[completed duration_ms=0]] TPUs")
    answer = ask(done.id)
    recorded = RECORDED["followup_model"]["result"]
    equal((answer.status, answer.model), (recorded["status"], recorded["model"]))
    assert answer.output_text.startswith(recorded["output_text"])


@case
def input_as_a_list():
    parts = [{"type": "text", "text": "about"}, {"type": "document", "uri": "https://example.com/a.pdf", "mime_type": "application/pdf"}]
    equal(start(parts).status, RECORDED["input_list_content"]["result"]["status"])


@case
def ends_other_than_completed():
    for scenario, name in [("failed", "status_failed"), ("incomplete", "status_incomplete"), ("budget-exceeded", "status_budget_exceeded")]:
        final = ai.interactions.get(start(f"[[{scenario} duration_ms=0]] x").id)
        equal(final.status, RECORDED[name]["result"]["status"])
    failed = ai.interactions.get(start("[[failed duration_ms=0]] x").id)
    equal([json.loads(error.model_dump_json()) for error in failed.errors], RECORDED["status_failed"]["result"]["errors"])
    final = ai.interactions.get(start("[[requires-action-finished duration_ms=0]] x").id)
    equal((final.status, final.steps[-1].type), ("requires_action", "model_output"))
    equal(ai.interactions.get(start("[[queued]] x").id).status, "queued")
    equal(ai.interactions.get(start("[[usage-missing duration_ms=0]] x").id).usage, None)
    equal(ai.interactions.get(start("[[empty-report duration_ms=0]] x").id).output_text, "")


@case
def early_trouble_passes():
    for scenario, error in [("early-404", ("NotFoundError", 404)), ("early-403", ("PermissionDeniedError", 403))]:
        created = start(f"[[{scenario}]] x")
        equal(error_of(lambda: ai.interactions.get(created.id)), error)
        advance(1_000)
        equal(ai.interactions.get(created.id).status, "in_progress")


@case
def late_trouble_stays():
    expired = start("[[expired duration_ms=0]] x")
    equal(ai.interactions.get(expired.id).status, "completed")
    advance(4_000)
    equal(error_of(lambda: ai.interactions.get(expired.id)), recorded_error("err_get_404_expired"))
    gone = start("[[gone-after-200]] x")
    equal(ai.interactions.get(gone.id).status, "in_progress")
    equal(error_of(lambda: ai.interactions.get(gone.id)), ("NotFoundError", 404))


@case
def create_errors():
    equal(error_of(lambda: start("[[error-400]] x")), recorded_error("err_create_400"))
    equal(error_of(lambda: start("[[error-401]] x")), recorded_error("err_create_401"))
    equal(error_of(lambda: start("[[error-403]] x")), recorded_error("err_create_403"))
    equal(error_of(lambda: start("[[error-404-array]] x")), recorded_error("err_create_404"))
    equal(error_of(lambda: start("[[error-429-retry-after-ms times=9]] x")), recorded_error("err_create_429ms"))


@case
def create_errors_without_retries():
    once = client(retry_options={"attempts": 1})
    ask = lambda text: once.interactions.create(agent=AGENT, input=text, background=True)
    equal(error_of(lambda: ask("[[error-503-json times=9]] x")), recorded_error("noretry_v1beta_503"))
    equal(error_of(lambda: ask("[[error-500-html times=9]] x")), ("InternalServerError", 500))
    equal(error_of(lambda: ask("[[error-429-retry-after times=9]] x")), recorded_error("err_create_429"))
    equal(error_of(lambda: ask("[[error-429-retry-info times=9]] x")), recorded_error("err_create_429"))
    equal(error_of(lambda: ask("[[error-429-daily]] x")), recorded_error("err_create_429"))


@case
def retries_then_works():
    equal(start("[[error-429-retry-after-ms times=2]] x").status, RECORDED["429_then_ok"]["result"]["status"])
    equal(start("[[error-503-json]] x").status, "in_progress")


@case
def a_lost_create_is_charged_once_and_not_retried():
    lost = lambda: start("[[create-lost]] x", labels={"task": "py-lost"})
    equal(error_of(lost), recorded_error("conn_refused"))
    entries = simulator("GET", "ledger")["entries"]
    equal([entry["task"] for entry in entries].count("py-lost"), 1)


@case
def create_answered_with_html():
    equal(error_of(lambda: start("[[create-html]] x")), ("APIError", 200))


@case
def refused_requests():
    equal(error_of(lambda: start("")), ("BadRequestError", 400))
    equal(error_of(lambda: start("x", background=False)), ("BadRequestError", 400))
    invalid, unauthorized = client("invalid"), client("unauthorized")
    equal(error_of(lambda: invalid.interactions.get("x")), recorded_error("err_create_400rpc"))
    equal(error_of(lambda: unauthorized.interactions.get("x")), recorded_error("err_create_401"))


MODEL = "gemini-3.8-flash"
LOOKUPS = [{"type": "google_search"}, {"type": "url_context"}]
SCHEMA = {
    "type": "object",
    "properties": {
        "success": {"type": "boolean"},
        "verified": {"type": "boolean"},
        "report": {"type": "string"},
        "metadata": {"type": "object", "properties": {"sources_visited": {"type": "array", "items": {"type": "string"}}}},
    },
    "required": ["success", "verified", "report"],
}


def turn(text, **fields):
    form = {"type": "text", "mime_type": "application/json", "schema": SCHEMA}
    fields = {"model": MODEL, "background": True, "tools": LOOKUPS, "response_format": form, **fields}
    return ai.interactions.create(input=text, **fields)


def finished(created):
    advance(1_000)
    return ai.interactions.get(created.id)


@case
def a_model_answers_round_by_round():
    script = "[[rounds key=py-rounds topic=tpu turns=draft,agreed]] why"
    first, second = finished(turn(script)), finished(turn(script))
    answers = [json.loads(one.output_text) for one in (first, second)]
    equal([answer["verified"] for answer in answers], [False, True])
    equal(answers[0]["report"], answers[1]["report"])
    kinds = [step.type for step in first.steps]
    equal(kinds[1:], ["thought", "google_search_call", "google_search_result", "url_context_call", "url_context_result", "model_output"])
    equal([type(step).__name__.startswith("Unknown") for step in first.steps].count(True), 0)
    equal(first.steps[5].result[0].url, "http://pages.example/tpu/1")
    equal(first.usage.grounding_tool_count[0].count, 2)
    turns = [one for one in simulator("GET", "ledger")["turns"] if one["key"] == "py-rounds"]
    equal([(one["number"], one["model"], one["charged"]) for one in turns], [(1, MODEL, True), (2, MODEL, True)])


@case
def a_model_cites_through_redirects_at_bytes():
    content = finished(turn("[[rounds key=py-cited topic=tpu turns=draft]] why")).steps[-1].content[0]
    marks = content.annotations
    cited = [content.text.encode()[mark.start_index : mark.end_index].decode() for mark in marks]
    assert cited[1].startswith("In Zürich") and cited[1].endswith("units"), cited
    opener = urllib.request.build_opener(StayHere)
    try:
        opener.open(urllib.request.Request(marks[1].url, method="HEAD"))
        raise AssertionError("no redirect")
    except urllib.error.HTTPError as answer:
        equal((answer.code, answer.headers["location"]), (302, "http://pages.example/tpu/2"))


class StayHere(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


@case
def a_model_streams_and_ends_incomplete():
    events, error = drain(turn("[[rounds key=py-cut turns=cut duration_ms=0]] why", stream=True))
    equal((error, events[-1].interaction.status), (None, "incomplete"))
    text = "".join(event.delta.text for event in events if event.event_type == "step.delta" and event.delta.type == "text")
    equal(text, ai.interactions.get(events[0].interaction.id).output_text)
    equal(finished(turn("[[rounds key=py-empty turns=empty]] why")).output_text, "")


@case
def formats_are_checked():
    for form in [{"type": "object", "properties": {}}, {"type": "text", "mime_type": "text/json"}]:
        equal(error_of(lambda: turn("why", response_format=form)), ("BadRequestError", 400))
    equal(turn("why", response_format=[{"type": "text"}]).status, "in_progress")
    typed = genai.interactions.TextResponseFormat(mime_type="application/json", schema_=SCHEMA)
    equal(turn("why", response_format=typed).status, "in_progress")


@case
def turns_are_refused():
    expected = {"error-400": 400, "error-401": 401, "error-403": 403, "error-404": 404, "error-429-daily": 429}
    for item, status in expected.items():
        equal(error_of(lambda: turn(f"[[rounds key=py-{item} turns={item}]]"))[1], status)


def ask(text, model=MODEL, **config):
    return ai.models.generate_content(model=model, contents=text, config=config)


@case
def search_through_generate_content():
    found = ask("tpu history", tools=[{"google_search": {}}])
    grounding = found.candidates[0].grounding_metadata
    equal(grounding.web_search_queries, ["tpu history"])
    assert all("/grounding-api-redirect/" in chunk.web.uri for chunk in grounding.grounding_chunks)
    for support in grounding.grounding_supports:
        segment = support.segment
        equal(found.text.encode()[segment.start_index or 0 : segment.end_index].decode(), segment.text)
    assert found.usage_metadata.tool_use_prompt_token_count > 0


@case
def pages_through_generate_content():
    read = ask("summarise https://example.com/tpu", tools=[{"url_context": {}}])
    page = read.candidates[0].url_context_metadata.url_metadata[0]
    equal((page.retrieved_url, page.url_retrieval_status.name), ("https://example.com/tpu", "URL_RETRIEVAL_STATUS_SUCCESS"))


@case
def both_faces_say_the_same():
    lookups = [{"google_search": {}}, {"url_context": {}}]
    mine = ask("[[rounds key=py-face-1 topic=faces turns=draft]]", tools=lookups, response_mime_type="application/json", response_json_schema=SCHEMA)
    other = finished(turn("[[rounds key=py-face-2 topic=faces turns=draft]]"))
    equal(mine.text, other.output_text)
    equal(mine.parsed["report"], json.loads(other.output_text)["report"])
    equal(mine.candidates[0].grounding_metadata.web_search_queries, other.steps[2].arguments.queries)


@case
def functions_streams_and_tokens():
    search = {"function_declarations": [{"name": "google_web_search", "parameters_json_schema": {"type": "object"}}]}
    wanted = ask("[[rounds key=py-calls topic=tpu turns=draft]]", tools=[search]).function_calls
    equal([call.args for call in wanted], [{"query": "tpu first deployment"}, {"query": "tpu second generation"}])
    chunks = list(ai.models.generate_content_stream(model=MODEL, contents="[[rounds key=py-stream turns=huge bytes=9000]]"))
    assert len(chunks) > 5
    equal(chunks[-1].candidates[0].finish_reason.name, "STOP")
    assert json.loads("".join(chunk.text or "" for chunk in chunks))["success"]
    cut = ask("[[rounds key=py-gcut turns=cut]]")
    equal(cut.candidates[0].finish_reason.name, "MAX_TOKENS")
    assert ai.models.count_tokens(model=MODEL, contents="why").total_tokens > 0


@case
def generate_content_is_refused():
    for item, status in {"error-400-key": 400, "error-403": 403, "error-429": 429, "error-503": 503}.items():
        try:
            ask(f"[[rounds key=py-g-{item} turns={item}]]")
            raise AssertionError(f"{item} was accepted")
        except genai.errors.APIError as error:
            equal(error.code, status)


def main():
    failed = 0
    for function in CASES:
        try:
            function()
            print(f"ok {function.__name__}", flush=True)
        except Exception as error:
            failed += 1
            where = traceback.extract_tb(error.__traceback__)[1].lineno
            print(f"FAIL {function.__name__} line {where}: {type(error).__name__}: {error}", flush=True)
    sys.exit(1 if failed else 0)


main()
