// Drives a running simulator's chat model with OpenAI's JavaScript SDK and says, case by case, whether it is accepted.
//
// Usage: chat.mjs BASE_URL NODE_FOLDER. One line per case: `ok NAME` or `FAIL NAME why`. Exits 1 if any case failed.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [baseUrl, folder] = process.argv.slice(2);
const loaded = createRequire(resolve(folder, "package.json"))("openai");
const OpenAI = loaded.OpenAI ?? loaded.default ?? loaded;
const client = (apiKey) => new OpenAI({ apiKey, baseURL: `${baseUrl}/v1`, maxRetries: 0 });
const ai = client("test-key");

const page = "<question>\nWhen was the Harbour Bridge opened?\n</question>\n<page>\nThe Harbour Bridge was opened in 1932.\n</page>";
const strings = { type: "array", items: { type: "string" } };
const schema = { type: "object", additionalProperties: false, required: ["quotes"], properties: { quotes: strings } };
const response_format = { type: "json_schema", json_schema: { name: "read", strict: true, schema } };
const asked = (model = "honest", fields = {}) => ({
  model,
  messages: [{ role: "system", content: "Read." }, { role: "user", content: page }],
  response_format,
  ...fields,
});
const create = (...rest) => ai.chat.completions.create(asked(...rest));
const simulator = async (method, operation) => (await fetch(`${baseUrl}/simulator/${operation}`, { method })).json();

/** The SDK's error class and status for a call that must fail. */
async function errorOf(call) {
  let value;
  try {
    value = await call();
  } catch (error) {
    return [error.constructor.name, error.status];
  }
  throw new Error(`no error but ${JSON.stringify(value)}`);
}

const cases = {
  async a_typed_answer_is_parsed() {
    const answer = await ai.chat.completions.parse(asked());
    assert.deepEqual(answer.choices[0].message.parsed.quotes, ["The Harbour Bridge was opened in 1932."]);
    assert.equal(answer.choices[0].finish_reason, "stop");
  },
  async usage_is_counted_and_in_the_ledger() {
    const { usage } = await create();
    assert.equal(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens);
    const entry = (await simulator("GET", "chat/ledger")).entries.at(-1);
    assert.deepEqual([entry.input_tokens, entry.output_tokens], [usage.prompt_tokens, usage.completion_tokens]);
  },
  async a_stream_says_the_same() {
    const whole = (await create()).choices[0].message.content;
    let text = "";
    for await (const chunk of await create("honest", { stream: true })) text += chunk.choices[0]?.delta?.content ?? "";
    assert.equal(text, whole);
  },
  async a_refusal_is_a_refusal() {
    const { message } = (await ai.chat.completions.parse(asked("refusing"))).choices[0];
    assert.ok(message.refusal);
    assert.equal((await errorOf(() => ai.chat.completions.parse(asked("cut"))))[0], "LengthFinishReasonError");
    assert.equal((await errorOf(() => ai.chat.completions.parse(asked("filtered"))))[0], "ContentFilterFinishReasonError");
  },
  async errors_have_their_classes() {
    assert.deepEqual(await errorOf(() => client("invalid").chat.completions.create(asked())), ["AuthenticationError", 401]);
    assert.deepEqual(await errorOf(() => create("no-such-model")), ["NotFoundError", 404]);
    assert.deepEqual(await errorOf(() => create("no-schema")), ["BadRequestError", 400]);
    for (const [kind, expected] of [["429", ["RateLimitError", 429]], ["503", ["InternalServerError", 503]], ["lost", ["APIConnectionError", undefined]]]) {
      await simulator("POST", `chat/fault?kind=${kind}`);
      assert.deepEqual(await errorOf(() => create()), expected, kind);
    }
  },
  async models_are_listed() {
    const names = [];
    for await (const model of ai.models.list()) names.push(model.id);
    assert.ok(names.includes("forgetful"));
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
