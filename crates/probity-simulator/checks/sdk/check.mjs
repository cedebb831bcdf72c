// Drives a running simulator with Google's JavaScript SDK and says, case by case, whether it is accepted.
//
// Usage: check.mjs BASE_URL RECORDED_RESULTS NODE_FOLDER. The simulator must run with --manual-time. One
// line per case: `ok NAME` or `FAIL NAME why`. Exits 1 if any case failed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [baseUrl, results, folder] = process.argv.slice(2);
const { GoogleGenAI } = createRequire(resolve(folder, "package.json"))("@google/genai");
const recorded = Object.fromEntries(JSON.parse(readFileSync(results, "utf8")).cases.map((one) => [one.case, one]));

const agent = "deep-research-preview-04-2026";
const config = { type: "deep-research", thinking_summaries: "auto" };
const whole = new GoogleGenAI({ apiKey: "test-key", httpOptions: { baseUrl } });
const client = (apiKey) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl } }).interactions;
const ai = client("test-key");

const simulator = async (method, operation) => (await fetch(`${baseUrl}/simulator/${operation}`, { method })).json();
const advance = (ms) => simulator("POST", `advance?ms=${ms}`);
const start = (input, fields = {}) => ai.create({ agent, background: true, agent_config: config, input, ...fields });

const model = "gemini-3.8-flash";
const schema = { type: "object", properties: { success: { type: "boolean" }, verified: { type: "boolean" }, report: { type: "string" } } };
const response_format = { type: "text", mime_type: "application/json", schema };
const tools = [{ type: "google_search" }, { type: "url_context" }];
const turn = (input, fields = {}) => ai.create({ model, background: true, tools, response_format, input, ...fields });
const finished = async (created) => {
  const { id } = await created;
  await advance(1_000);
  return ai.get(id);
};
const ask = (contents, config = {}) => whole.models.generateContent({ model, contents, config });

/** The SDK's error class and status for a call that must fail. */
async function errorOf(call) {
  let value;
  try {
    value = await call();
  } catch (error) {
    return [error.constructor.name === "Error" ? error.name : error.name ?? error.constructor.name, error.status];
  }
  throw new Error(`no error but ${JSON.stringify(value)}`);
}

const recordedError = (name) => [recorded[name].exc.name, recorded[name].exc.status];

/** Events until the stream ends, and the error that ended it. */
async function drain(stream) {
  const events = [];
  try {
    for await (const event of await stream) events.push(event);
  } catch (error) {
    return { events, error };
  }
  return { events, error: null };
}

/** Which fields each kind of event has, one level down too. */
function shapes(events) {
  const optional = new Set(["metadata", "step_usage", "sdkHttpResponse"]);
  const fields = (object) => Object.keys(object ?? {}).filter((field) => !optional.has(field)).sort().join();
  return [...new Set(events.map((event) => `${event.event_type}: ${fields(event)}: ${fields(event.interaction)}`))].sort();
}

async function resumeFrom(events) {
  const interaction = events[0].interaction.id;
  const last_event_id = events.at(-1).event_id;
  const { events: rest, error } = await drain(ai.get(interaction, { stream: true, last_event_id }));
  assert.equal(error, null);
  assert.equal(rest[0].event_id, "evt_0009");
  assert.equal(rest.at(-1).event_type, "interaction.completed");
  const numbers = [...events, ...rest].map((event) => Number(event.event_id.slice(4)));
  assert.deepEqual(numbers, numbers.map((_, index) => index + 1));
}

const cases = {
  async create_and_poll() {
    const tools = [
      { type: "google_search" },
      { type: "url_context" },
      { type: "code_execution" },
      { type: "file_search", file_search_store_names: ["fileSearchStores/x"] },
      { type: "mcp_server", name: "tracker", url: "https://mcp.example.com/mcp" },
    ];
    const webhook_config = { uris: ["https://hook.example.com/x"], user_metadata: { task_id: "t-1" } };
    const created = await start("Research TPUs", { labels: { task: "js-1" }, tools, store: true, webhook_config });
    assert.equal(created.labels, undefined, "a create does not echo its request");
    await advance(1_000);
    const middle = await ai.get(created.id);
    await advance(1_000);
    const final = await ai.get(created.id);
    const before = recorded.create_background_poll_completed.result;
    assert.deepEqual([created.status, middle.status, final.status], [before.statuses[0], before.statuses[1], before.statuses.at(-1)]);
    assert.deepEqual(Object.keys(before.final).filter((field) => !(field in final)), []);
    const types = (steps) => [...new Set(steps.map((step) => step.type))].sort();
    assert.deepEqual(types(final.steps), types(before.final.steps));
    assert.ok(final.usage.grounding_tool_count[0].count > 0);
    assert.ok(final.output_text.includes("Später"));
  },
  async offsets_are_bytes() {
    const { id } = await start("[[completed duration_ms=0]] Größe");
    const cited = [];
    for (const step of (await ai.get(id)).steps)
      for (const content of step.content ?? [])
        for (const mark of content.annotations ?? [])
          cited.push(Buffer.from(content.text).subarray(mark.start_index, mark.end_index).toString());
    assert.ok(cited.includes("日本語の資料も同じ数を示す"), cited.join());
  },
  async create_with_stream() {
    const { events, error } = await drain(start("[[completed duration_ms=0]] TPUs", { stream: true }));
    assert.equal(error, null);
    assert.deepEqual(shapes(events), shapes(recorded.create_stream.result));
    assert.equal(events.at(-1).interaction.status, "completed");
  },
  async clean_drop_then_resume() {
    const { events, error } = await drain(start("[[drop-after duration_ms=0 clean=true]] TPUs", { stream: true }));
    const before = recorded.stream_drop_then_resume_last_event_id.result;
    assert.deepEqual([events.length, error, events.at(-1).event_id], [before.first_n, before.drop_error, before.last]);
    await resumeFrom(events);
  },
  async cut_then_resume() {
    const { events, error } = await drain(start("[[drop-after duration_ms=0]] TPUs", { stream: true }));
    assert.equal(events.length, 8);
    assert.ok(error, "a cut connection is an error");
    await resumeFrom(events);
  },
  async stream_error_then_poll() {
    const { events, error } = await drain(start("[[stream-error duration_ms=0]] TPUs", { stream: true }));
    assert.equal(error, null);
    assert.deepEqual(events.at(-1).error, recorded.stream_error_event.result.error);
    assert.equal((await ai.get(events[0].interaction.id)).status, "completed");
  },
  async stream_without_ids_and_with_crlf() {
    const plain = await drain(start("[[no-event-id duration_ms=0]] TPUs", { stream: true }));
    assert.ok(plain.events.every((event) => event.event_id === undefined));
    const crlf = await drain(start("[[crlf duration_ms=0]] TPUs", { stream: true }));
    assert.deepEqual([crlf.error, crlf.events.at(-1).event_type], [null, "interaction.completed"]);
  },
  async stream_with_only_the_end() {
    const { events } = await drain(start("[[stream-only-final duration_ms=0]] TPUs", { stream: true }));
    const started = events.filter((event) => event.event_type === "step.start").map((event) => event.step.type);
    assert.deepEqual([...new Set(started)], ["model_output"]);
  },
  async unknown_events() {
    const { events, error } = await drain(start("[[unknown-enums duration_ms=0]] TPUs", { stream: true }));
    assert.equal(error, null);
    const kinds = new Set(events.map((event) => event.event_type));
    const missing = recorded.stream_unknown_events.result.filter((event) => !kinds.has(event.event_type));
    assert.deepEqual(missing, []);
  },
  async unknown_status_then_completed() {
    const { id } = await start("[[unknown-enums]] TPUs");
    assert.equal((await ai.get(id)).status, recorded.status_weird_new_status.result.status);
    await advance(2_000);
    const final = await ai.get(id);
    assert.equal(final.status, "completed");
    assert.ok(final.steps.some((step) => step.type === "brand_new_step"));
  },
  async cancel_running() {
    const { id } = await start("[[cancel-ok]] TPUs");
    await advance(100_000);
    assert.equal((await ai.get(id)).status, "in_progress");
    const before = recorded.cancel_running.result;
    assert.equal((await ai.cancel(id)).status, before.status);
    const final = await ai.get(id);
    const types = new Set(final.steps.map((step) => step.type));
    assert.ok(before.steps.every((step) => types.has(step.type)));
    assert.equal(final.status, "cancelled");
  },
  async cancel_after_the_end() {
    const { id } = await start("[[completed duration_ms=0]] TPUs");
    assert.deepEqual(await errorOf(() => ai.cancel(id)), recordedError("cancel_completed_400"));
  },
  async cancel_that_fails() {
    const plain = await start("[[cancel-400]] x");
    assert.deepEqual(await errorOf(() => ai.cancel(plain.id)), ["BadRequestError", 400]);
    const array = await start("[[cancel-404-array]] x");
    assert.deepEqual(await errorOf(() => ai.cancel(array.id)), ["NotFoundError", 404]);
  },
  async cancel_that_lags() {
    const { id } = await start("[[cancel-lag]] TPUs");
    assert.equal((await ai.cancel(id)).status, "cancelled");
    assert.equal((await ai.get(id)).status, "in_progress");
    await advance(1_000);
    assert.equal((await ai.get(id)).status, "cancelled");
  },
  async delete_then_get() {
    const { id } = await start("TPUs");
    await ai.delete(id);
    const before = recorded.delete_then_get.result;
    assert.deepEqual(await errorOf(() => ai.get(id)), [before.then, before.status]);
  },
  async plan_refine_execute() {
    const planning = { agent_config: { ...config, collaborative_planning: true } };
    const plan = await start("[[plan]] TPUs vs others", planning);
    await advance(1_000);
    assert.ok((await ai.get(plan.id)).output_text.includes("Research plan"));
    const refined = await start("Shorter, please", { ...planning, previous_interaction_id: plan.id });
    await advance(1_000);
    assert.ok((await ai.get(refined.id)).output_text.includes("revision 1"));
    const executing = { ...config, collaborative_planning: false };
    const executed = await start("Go ahead", { agent_config: executing, previous_interaction_id: refined.id });
    await advance(5_000);
    const final = await ai.get(executed.id);
    assert.deepEqual([final.status, final.previous_interaction_id], ["completed", refined.id]);
    assert.ok(final.steps.some((step) => step.type === "google_search_call"));
  },
  async follow_up_with_a_model() {
    const ask = (previous_interaction_id) =>
      ai.create({ model: "gemini-3.1-pro-preview", input: "elaborate", previous_interaction_id });
    const running = await start("[[slow]] TPUs");
    assert.deepEqual(await errorOf(() => ask(running.id)), ["BadRequestError", 400]);
    const done = await start("[[completed duration_ms=0]] TPUs");
    const answer = await ask(done.id);
    const before = recorded.followup_model.result;
    assert.deepEqual([answer.status, answer.model], [before.status, before.model]);
    assert.ok(answer.output_text.startsWith(before.output_text));
  },
  async input_as_a_list() {
    const parts = [
      { type: "text", text: "about" },
      { type: "document", uri: "https://example.com/a.pdf", mime_type: "application/pdf" },
    ];
    assert.equal((await start(parts)).status, recorded.input_list_content.result.status);
  },
  async ends_other_than_completed() {
    const end = async (scenario) => ai.get((await start(`[[${scenario} duration_ms=0]] x`)).id);
    const failed = await end("failed");
    assert.equal(failed.status, recorded.status_failed.result.status);
    assert.deepEqual(failed.errors, recorded.status_failed.result.errors);
    assert.equal((await end("incomplete")).status, "incomplete");
    assert.equal((await end("budget-exceeded")).status, "budget_exceeded");
    const finished = await end("requires-action-finished");
    assert.deepEqual([finished.status, finished.steps.at(-1).type], ["requires_action", "model_output"]);
    assert.equal((await ai.get((await start("[[queued]] x")).id)).status, recorded.status_queued.result.status);
    assert.equal((await end("usage-missing")).usage, undefined);
    assert.ok(!(await end("empty-report")).output_text);
  },
  async early_trouble_passes() {
    for (const [scenario, error] of [["early-404", ["NotFoundError", 404]], ["early-403", ["PermissionDeniedError", 403]]]) {
      const { id } = await start(`[[${scenario}]] x`);
      assert.deepEqual(await errorOf(() => ai.get(id)), error);
      await advance(1_000);
      assert.equal((await ai.get(id)).status, "in_progress");
    }
  },
  async late_trouble_stays() {
    const expired = await start("[[expired duration_ms=0]] x");
    assert.equal((await ai.get(expired.id)).status, "completed");
    await advance(4_000);
    assert.deepEqual(await errorOf(() => ai.get(expired.id)), recordedError("err_get_404_expired"));
    const gone = await start("[[gone-after-200]] x");
    assert.equal((await ai.get(gone.id)).status, "in_progress");
    assert.deepEqual(await errorOf(() => ai.get(gone.id)), ["NotFoundError", 404]);
  },
  async create_errors() {
    assert.deepEqual(await errorOf(() => start("[[error-400]] x")), recordedError("err_create_400"));
    assert.deepEqual(await errorOf(() => start("[[error-401]] x")), recordedError("err_create_401"));
    assert.deepEqual(await errorOf(() => start("[[error-403]] x")), recordedError("err_create_403"));
    assert.deepEqual(await errorOf(() => start("[[error-404-array]] x")), recordedError("err_create_404"));
    assert.deepEqual(await errorOf(() => start("[[error-429-retry-after-ms times=9]] x")), recordedError("err_create_429ms"));
  },
  // This SDK cannot be told not to retry, so the slow ones wait together.
  async create_errors_after_all_retries() {
    const expected = {
      "error-503-json": "err_create_503",
      "error-500-html": "err_create_500",
      "error-429-retry-after": "err_create_429",
      "error-429-retry-info": "err_create_429",
      "error-429-daily": "err_create_429",
    };
    const asked = Object.entries(expected).map(async ([scenario, name]) =>
      assert.deepEqual(await errorOf(() => start(`[[${scenario} times=9]] x`)), recordedError(name), scenario),
    );
    await Promise.all(asked);
  },
  async retries_then_works() {
    const created = await start("[[error-429-retry-after-ms times=2]] x");
    assert.equal(created.status, recorded["429_then_ok"].result.status);
    assert.equal((await start("[[error-503-json]] x")).status, "in_progress");
  },
  // This SDK retries a create whose answer was lost; the ledger sees the second payment.
  async a_lost_create_that_is_retried_is_paid_twice() {
    assert.equal((await start("[[create-lost]] x", { labels: { task: "js-lost" } })).status, "in_progress");
    assert.ok((await simulator("GET", "ledger")).duplicates.includes("js-lost"));
  },
  async refused_requests() {
    assert.deepEqual(await errorOf(() => start("")), ["BadRequestError", 400]);
    assert.deepEqual(await errorOf(() => start("x", { background: false })), ["BadRequestError", 400]);
    assert.deepEqual(await errorOf(() => client("invalid").get("x")), recordedError("err_create_400rpc"));
    assert.deepEqual(await errorOf(() => client("unauthorized").get("x")), recordedError("err_create_401"));
  },
  async a_model_answers_round_by_round() {
    const script = "[[rounds key=js-rounds topic=tpu turns=draft,agreed]] why";
    const [first, second] = [await finished(turn(script)), await finished(turn(script))];
    const answers = [first, second].map((one) => JSON.parse(one.output_text));
    assert.deepEqual(answers.map((answer) => answer.verified), [false, true]);
    assert.equal(answers[0].report, answers[1].report);
    const kinds = first.steps.map((step) => step.type).slice(1);
    const expected = ["thought", "google_search_call", "google_search_result", "url_context_call", "url_context_result", "model_output"];
    assert.deepEqual(kinds, expected);
    assert.equal(first.steps[5].result[0].url, "http://pages.example/tpu/1");
    assert.equal(first.usage.grounding_tool_count[0].count, 2);
    const turns = (await simulator("GET", "ledger")).turns.filter((one) => one.key === "js-rounds");
    assert.deepEqual(turns.map((one) => one.charged), [true, true]);
  },
  async a_model_cites_through_redirects_at_bytes() {
    const content = (await finished(turn("[[rounds key=js-cited topic=tpu turns=draft]] why"))).steps.at(-1).content[0];
    const mark = content.annotations[1];
    const cited = Buffer.from(content.text).subarray(mark.start_index, mark.end_index).toString();
    assert.match(cited, /^In Zürich.*units$/);
    const answer = await fetch(mark.url, { redirect: "manual" });
    assert.deepEqual([answer.status, answer.headers.get("location")], [302, "http://pages.example/tpu/2"]);
  },
  async a_model_streams_and_ends_incomplete() {
    const { events, error } = await drain(turn("[[rounds key=js-cut turns=cut duration_ms=0]] why", { stream: true }));
    assert.deepEqual([error, events.at(-1).interaction.status], [null, "incomplete"]);
    const pieces = events.filter((event) => event.delta?.type === "text").map((event) => event.delta.text);
    assert.equal(pieces.join(""), (await ai.get(events[0].interaction.id)).output_text);
  },
  async formats_are_checked() {
    for (const response_format of [{ type: "object" }, { type: "text", mime_type: "text/json" }])
      assert.deepEqual(await errorOf(() => turn("why", { response_format })), ["BadRequestError", 400]);
    assert.equal((await turn("why", { response_format: [{ type: "text" }] })).status, "in_progress");
  },
  async search_and_pages_through_generate_content() {
    const found = await ask("tpu history", { tools: [{ googleSearch: {} }] });
    const grounding = found.candidates[0].groundingMetadata;
    assert.deepEqual(grounding.webSearchQueries, ["tpu history"]);
    for (const { segment } of grounding.groundingSupports) {
      const words = Buffer.from(found.text).subarray(segment.startIndex ?? 0, segment.endIndex).toString();
      assert.equal(words, segment.text);
    }
    const read = await ask("summarise https://example.com/tpu", { tools: [{ urlContext: {} }] });
    const page = read.candidates[0].urlContextMetadata.urlMetadata[0];
    assert.deepEqual([page.retrievedUrl, page.urlRetrievalStatus], ["https://example.com/tpu", "URL_RETRIEVAL_STATUS_SUCCESS"]);
  },
  async both_faces_say_the_same() {
    const config = { tools: [{ googleSearch: {} }], responseMimeType: "application/json", responseJsonSchema: schema };
    const mine = await ask("[[rounds key=js-face-1 topic=faces turns=draft]]", config);
    const other = await finished(turn("[[rounds key=js-face-2 topic=faces turns=draft]]"));
    assert.equal(mine.text, other.output_text);
    assert.deepEqual(mine.candidates[0].groundingMetadata.webSearchQueries, other.steps[2].arguments.queries);
  },
  async functions_streams_and_tokens() {
    const tools = [{ functionDeclarations: [{ name: "google_web_search", parametersJsonSchema: { type: "object" } }] }];
    const wanted = (await ask("[[rounds key=js-calls topic=tpu turns=draft]]", { tools })).functionCalls;
    assert.deepEqual(wanted.map((call) => call.args.query), ["tpu first deployment", "tpu second generation"]);
    const contents = "[[rounds key=js-stream turns=huge bytes=9000]]";
    const { events } = await drain(whole.models.generateContentStream({ model, contents }));
    assert.ok(events.length > 5);
    assert.equal(events.at(-1).candidates[0].finishReason, "STOP");
    assert.ok(JSON.parse(events.map((event) => event.text ?? "").join("")).success);
    assert.equal((await ask("[[rounds key=js-gcut turns=cut]]")).candidates[0].finishReason, "MAX_TOKENS");
    assert.ok((await whole.models.countTokens({ model, contents: "why" })).totalTokens > 0);
  },
  async generate_content_is_refused() {
    for (const [item, status] of [["error-400-key", 400], ["error-403", 403], ["error-429", 429], ["error-503", 503]])
      assert.equal((await errorOf(() => ask(`[[rounds key=js-g-${item} turns=${item}]]`)))[1], status, item);
  },
};

let failed = 0;
for (const [name, check] of Object.entries(cases)) {
  try {
    await check();
    console.log(`ok ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL ${name} ${String(error.message ?? error).replaceAll("\n", " ")}`);
  }
}
process.exit(failed ? 1 : 0);
