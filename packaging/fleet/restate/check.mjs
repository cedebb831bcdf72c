// Proves cluster.toml with real servers on loopback: three nodes form a cluster, everything is on two of them,
// any one may be killed, with two gone nothing is acknowledged that could be lost, and a node that lost its disk
// comes back under a new name and joins.
//
//   node check.mjs RESTATE_SERVER RESTATECTL SDK_FOLDER [S3_ADDRESS KEY SECRET BUCKET]
//
// Prints one line of JSON. Ends with 1 and says what was wrong if anything is not as promised.
import { execFile, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// Only what went wrong; the SDK tells every call.
process.env.RESTATE_LOGGING = "ERROR";
const [server, restatectl, sdkFolder, s3, s3Key, s3Secret, s3Bucket] = process.argv.slice(2);
// The SDK asks for Node 22; this is all of it that Node 20 lacks.
Promise.withResolvers ??= function () {
  const made = {};
  made.promise = new Promise((resolve, reject) => { made.resolve = resolve; made.reject = reject; });
  return made;
};
const restate = createRequire(join(sdkFolder, "package.json"))("@restatedev/restate-sdk");
const configuration = join(dirname(fileURLToPath(import.meta.url)), "cluster.toml");
const base = mkdtempSync(join(tmpdir(), "restate-check-"));
const NODES = [0, 1, 2];
const ADDS = 30;
const names = ["restate-1", "restate-2", "restate-3"];
const began = Date.now();

const freePort = () => new Promise((done) => {
  const probe = net.createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => done(port));
  });
});
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const until = async (what, limitMs, ask) => {
  const end = Date.now() + limitMs;
  for (;;) {
    const answer = await ask().catch(() => false);
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`${what}: not within ${limitMs / 1000} s`);
    await sleep(100);
  }
};
const must = (true_, what) => { if (!true_) throw new Error(what); };

const ports = await Promise.all(NODES.map(async () => ({
  fabric: await freePort(), ingress: await freePort(), admin: await freePort(),
})));
const fabric = (node) => `http://127.0.0.1:${ports[node].fabric}/`;
const running = new Map();

function start(node) {
  const log = openSync(join(base, `node-${node}.log`), "a");
  const environment = {
    PATH: process.env.PATH, RESTATE_DISABLE_TELEMETRY: "true", RESTATE_LISTEN_MODE: "tcp",
    RESTATE_NODE_NAME: names[node], RESTATE_BASE_DIR: base,
    RESTATE_BIND_ADDRESS: `127.0.0.1:${ports[node].fabric}`, RESTATE_ADVERTISED_ADDRESS: fabric(node),
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ports[node].ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${ports[node].admin}`,
    RESTATE_METADATA_CLIENT__ADDRESSES: JSON.stringify(NODES.map(fabric)),
    // Three servers on one small machine.
    RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "256 MiB",
  };
  if (s3) {
    const snapshots = (name, value) => { environment[`RESTATE_WORKER__SNAPSHOTS__${name}`] = value; };
    snapshots("DESTINATION", `s3://${s3Bucket}/snapshots-${ports[0].fabric}`);
    snapshots("AWS_ENDPOINT_URL", s3); snapshots("AWS_REGION", "local"); snapshots("AWS_ALLOW_HTTP", "true");
    snapshots("AWS_ACCESS_KEY_ID", s3Key); snapshots("AWS_SECRET_ACCESS_KEY", s3Secret);
  }
  running.set(node, spawn(server, ["--config-file", configuration], { env: environment, stdio: ["ignore", log, log] }));
}
const kill = (node) => new Promise((done) => {
  const child = running.get(node);
  running.delete(node);
  child.once("exit", done);
  child.kill("SIGKILL");
});
const status = (node, ...words) => new Promise((done, fail) => execFile(restatectl,
  ["--address", fabric(node), ...words], { timeout: 15000 }, (error, out) => (error ? fail(error) : done(out))));
// The number that the cluster gave to a name.
const idOf = async (name) => {
  const line = (await status(1, "nodes", "list")).split("\n").find((one) => one.split(/\s+/).includes(name));
  must(line, `no node ${name}`);
  return Number(/\bN(\d+)/.exec(line)[1]);
};
const ask = (node, path, body, headers, limitMs) => fetch(`http://127.0.0.1:${ports[node].ingress}${path}`, {
  method: "POST", body: body && JSON.stringify(body), signal: AbortSignal.timeout(limitMs ?? 20000),
  headers: { "content-type": "application/json", ...headers },
}).then(async (answer) => { must(answer.ok, `${path}: ${answer.status} ${await answer.clone().text()}`); return answer.json(); });
const healthy = (node) => fetch(`http://127.0.0.1:${ports[node].admin}/health`).then((answer) => answer.ok);

// The service: adds under many keys, so that every partition has something to lose.
const adder = restate.object({ name: "Adder", handlers: {
  add: async (ctx) => { const sum = ((await ctx.get("sum")) ?? 0) + 1; ctx.set("sum", sum); return sum; },
  sum: restate.handlers.object.shared(async (ctx) => (await ctx.get("sum")) ?? 0),
} });
const servicePort = await freePort();
const http2 = (await import("node:http2")).createServer(restate.createEndpointHandler({ services: [adder] }));
await new Promise((done) => http2.listen(servicePort, "127.0.0.1", done));

let asked = 0;
// The same key as often as needed: whoever is not answered asks another node, and it counts once.
async function add(alive) {
  const number = asked++;
  const headers = { "idempotency-key": `add-${number}` };
  let last;
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const node = alive[(number + attempt) % alive.length];
    try { await ask(node, `/Adder/key-${number % 24}/add`, undefined, headers, 5000); return; } catch (error) { last = error; await sleep(200); }
  }
  throw new Error(`add ${number} was never answered: ${last}`);
}
const adds = async (alive) => { for (let count = 0; count < ADDS; count += 1) await add(alive); };
async function total(alive) {
  let sum = 0;
  for (let key = 0; key < 24; key += 1) sum += await until("a sum", 30000, async () => ({ is: await ask(alive[0], `/Adder/key-${key}/sum`, undefined, {}, 5000) })).then((answer) => answer.is);
  return sum;
}

async function main() {
  const figures = {};
  NODES.forEach(start);
  // Nobody creates a cluster by itself: a node that may do that and lost its disk would make a second one.
  const provision = ["provision", "--num-partitions", "12", "--replication", "2", "--yes"];
  await until("a cluster", 60000, () => status(0, ...provision).then(() => true));
  await until("three healthy nodes", 60000, async () => (await Promise.all(NODES.map(healthy))).every(Boolean));
  const members = (text) => (text.match(/\bMember\b/g) ?? []).length;
  await until("three members of the metadata", 60000, async () => members(await status(0, "status")) === 3);
  figures.formed_ms = Date.now() - began;
  const config = await status(1, "config", "get");
  must(/Partition replication: \{node: 2\}/.test(config) && /Log replication: \{node: 2\}/.test(config), `replication is not 2:\n${config}`);
  must(/Number of partitions: 12/.test(config), `not 12 partitions:\n${config}`);
  // On a busy machine the metadata may be without a leader for a moment.
  await until("registering", 60000, () => fetch(`http://127.0.0.1:${ports[0].admin}/deployments`, { method: "POST",
    headers: { "content-type": "application/json" }, body: JSON.stringify({ uri: `http://127.0.0.1:${servicePort}` }) }).then((answer) => answer.ok));
  await adds(NODES);

  figures.back_after_kill_ms = [];
  for (const node of NODES) {
    await kill(node);
    const alive = NODES.filter((other) => other !== node);
    const from = Date.now();
    await add(alive);
    figures.back_after_kill_ms.push(Date.now() - from);
    await adds(alive);
    start(node);
    await until(`node ${node} healthy again`, 60000, () => healthy(node));
    await until("three members again", 60000, async () => members(await status(alive[0], "status")) === 3);
  }
  must((await total(NODES)) === asked, `after single kills: ${await total(NODES)} of ${asked}`);

  // Two of three gone: what would stand on one node only is not acknowledged.
  await kill(1); await kill(2);
  await sleep(2000);
  const alone = await ask(0, "/Adder/alone/add", undefined, { "idempotency-key": "alone" }, 8000).then(() => "acknowledged", () => "refused");
  must(alone === "refused", "one node alone acknowledged a write: replication is not 2");
  start(1); start(2);
  await until("healthy after the loss of two", 60000, async () => (await healthy(1)) && (await healthy(2)));
  must((await total(NODES)) === asked, "after the loss of two");
  await until("the refused write, asked again", 60000, async () => (await ask(0, "/Adder/alone/add", undefined, { "idempotency-key": "alone" }, 8000)) === 1);

  // The first node loses its disk. Under its old name it refuses to start, and rightly: others count on what it
  // had. Under a new name it joins the cluster that stands. (Asked to create one in this moment, it would.)
  await kill(0);
  rmSync(join(base, names[0]), { recursive: true, force: true });
  names[0] = "restate-1-again";
  const lost = await idOf("restate-1");
  start(0);
  await until("the node with an empty disk healthy", 60000, () => healthy(0));
  must((await status(0, "nodes", "list")).includes("restate-2"), "the node with an empty disk made a cluster of its own");
  const fresh = await until("a number for the new name", 60000, () => idOf(names[0]));
  const listed = async (node) => new RegExp(`\\[[^\\]]*N${node}[,\\]]`).test(await status(1, "metadata-server", "list-servers"));
  await until("the new node is a member", 60000, () => listed(fresh));
  await status(1, "metadata-server", "remove-node", String(lost));
  await until("the lost member is none any more", 60000, async () => !(await listed(lost)));
  await adds(NODES);
  must((await total([0])) === asked, `after the loss of a disk: ${await total([1])} of ${asked}`);
  figures.adds = asked; figures.lost = 0; figures.doubled = 0; figures.seconds = Math.round((Date.now() - began) / 1000);
  console.log(JSON.stringify(figures));
}

let failed;
await main().catch((error) => { failed = error; });
for (const child of running.values()) child.kill("SIGKILL");
http2.close();
if (failed) {
  console.error(String(failed.stack ?? failed));
  for (const node of NODES) { try { console.error(readFileSync(join(base, `node-${node}.log`), "utf8").split("\n").filter((line) => /"(ERROR|WARN)"/.test(line)).slice(-5).join("\n")); } catch { /* it never started */ } }
}
rmSync(base, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
