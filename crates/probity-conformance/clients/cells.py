"""The cells of the matrix for clients that are Python libraries: the same as cells.mjs asks of the others.

A driver gives an adapter with the client's own way to connect, call, read and watch. Each cell prints one line;
a cell that the client has no way to fill raises `Unsupported` with the reason in a few words.
"""

import asyncio
import json
import os
import re
import signal
import sys
import time
import urllib.request
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Literal

from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim, advertise
from mcp_types import CallToolResult, Request, RequestParams, Result
from pydantic import ConfigDict

SETTINGS = json.loads(os.environ.get("PROBITY_CLIENTS", "{}"))
MODERN = "2026-07-28"
TASKS = "io.modelcontextprotocol/tasks"
# The published list, in its order: what clients must see.
PUBLISHED = Path(__file__).resolve().parents[3] / "docs/generated/tools.md"
TOOLS = re.findall(r"^## `(\w+)`$", PUBLISHED.read_text(encoding="utf-8"), re.MULTILINE)
PROMPTS = ["deep_research", "verify_report"]
TEMPLATES = 5
# World time runs ten times faster than ours: these take 3.5 and 7 seconds.
OVER_TWO_SIGNS = "slow duration_ms=35000"
LONGER_THAN_PATIENCE = "slow duration_ms=70000"
# Runs until it is cancelled.
UNTIL_CANCELLED = "cancel-ok"
# What an impatient client gives one call.
PATIENCE = 3.0
# Longest wait for anything: a busy machine is slow, a hanging run is worse.
WAIT_MAX = 30.0
CELL_MAX = 120.0
LOOK_EVERY = 0.1
WORDLESS = (
    "over HTTP it can only close the stream; the protocol calls that a cancel, but a broken line does the same, so "
    "by our decision the research goes on until cancel_research"
)
GOING = ("pending", "running_async", "cancelling")


class Unsupported(Exception):
    """The client has no way to do this."""


def expect(truth: object, what: str) -> None:
    if not truth:
        raise AssertionError(what)


def same(actual: object, expected: object, what: str) -> None:
    expect(actual == expected, f"{what}: {actual!r} instead of {expected!r}")


async def until(what: str, look: Callable[[], Awaitable[Any]]) -> Any:
    """Looks until there is something."""
    end = time.monotonic() + WAIT_MAX
    while time.monotonic() < end:
        if seen := await look():
            return seen
        await asyncio.sleep(LOOK_EVERY)
    raise AssertionError(f"{what}: not within {WAIT_MAX} s")


def accepted(task: str) -> int:
    """What the provider accepted for this research and will be paid for."""
    with urllib.request.urlopen(f"{SETTINGS['simulator']}/simulator/ledger", timeout=WAIT_MAX) as answer:
        ledger = json.load(answer)
    same(ledger["duplicates"], [], "paid twice")
    return sum(entry["task"] == task for entry in ledger["entries"])


def question(scenario: str, label: str) -> str:
    return f"[[{scenario}]] {label}: which clients work?"


def completed(answer: Any) -> str:
    expect(not answer.is_error, f"the start ended in an error: {answer.structured_content}")
    told = answer.structured_content
    same([told["success"], told["status"]], [True, "completed"], "the start")
    expect(len(told["results"]["report"]) > 100 and told["results"]["sources"], "an empty report")
    texts = [block.text for block in answer.content if block.type == "text"]
    expect(any(told["task_id"] in text for text in texts), "no text")
    return told["task_id"]


async def found(session: Any, label: str) -> list[dict[str, Any]]:
    answer = await session.call("list_research", {"text": label})
    return answer.structured_content["researches"]


async def running(session: Any, label: str) -> str:
    """The one research with this label, once it runs."""

    async def look() -> str | None:
        researches = await found(session, label)
        if not researches:
            return None
        task, status = researches[0]["task_id"], researches[0]["status"]
        expect(status in GOING, f"it was {status} before it was seen running")
        return task if status == "running_async" and accepted(task) == 1 else None

    return await until(f"{label} runs", look)


async def ended(session: Any, task: str) -> str:
    async def look() -> str | None:
        answer = await session.call("check_research_status", {"task_id": task, "wait_seconds": 5})
        status = answer.structured_content["status"]
        return None if status in GOING else status

    return await until(f"{task} ends", look)


async def start(session: Any, scenario: str, label: str, more: dict[str, Any] | None = None, **options: Any) -> Any:
    arguments = {"query": question(scenario, label), **(more or {})}
    return await session.call("start_deep_research", arguments, **options)


async def judge_cancel(session: Any, task: str) -> None:
    """A cancelled call withdraws its research. Over HTTP the new era has no word for it: the client closes the
    stream, as a broken line does, and a paid research is not lost to a broken line."""
    wordless = SETTINGS["era"] == "modern" and SETTINGS["transport"] == "http"
    if wordless:
        looked = await session.call("check_research_status", {"task_id": task, "wait_seconds": 3})
        same(looked.structured_content["status"], "running_async", "a closed stream")
        cancelled = await session.call("cancel_research", {"task_id": task})
        same(cancelled.structured_content["success"], True, "cancel_research")
    same(await ended(session, task), "cancelled", "the research")
    same(accepted(task), 1, "accepted")
    if wordless:
        raise Unsupported(WORDLESS)


class TaskRequestParams(RequestParams):
    task_id: str


class GetTask(Request[TaskRequestParams, Literal["tasks/get"]]):
    name_param = "taskId"
    method: Literal["tasks/get"] = "tasks/get"
    params: TaskRequestParams


class CancelTask(Request[TaskRequestParams, Literal["tasks/cancel"]]):
    name_param = "taskId"
    method: Literal["tasks/cancel"] = "tasks/cancel"
    params: TaskRequestParams


class Task(Result):
    """A task as `tools/call` and `tasks/get` tell it."""

    model_config = ConfigDict(extra="allow")
    result_type: Literal["task"] = "task"
    task_id: str
    status: str
    poll_interval_ms: int


class Looked(Result):
    model_config = ConfigDict(extra="allow")
    status: str
    result: dict[str, Any] | None = None


class Acknowledged(Result):
    model_config = ConfigDict(extra="allow")


class TasksExtension(ClientExtension):
    """The tasks extension on the library's own door for extensions: it ships none itself."""

    identifier = TASKS

    def __init__(self, unwanted: bool = False) -> None:
        self.unwanted = unwanted
        self.seen: list[str] = []

    def claims(self) -> list[ResultClaim[Task]]:
        return [ResultClaim(result_type="task", model=Task, resolve=self.follow)]

    async def follow(self, task: Task, context: ClaimContext) -> CallToolResult:
        self.seen.append(task.task_id)
        params = TaskRequestParams(task_id=task.task_id)
        if self.unwanted:
            await context.session.send_request(CancelTask(params=params), Acknowledged)
        end = time.monotonic() + WAIT_MAX
        while time.monotonic() < end:
            looked = await context.session.send_request(GetTask(params=params), Looked)
            if looked.status == "completed":
                return CallToolResult.model_validate(looked.result)
            if looked.status == "cancelled":
                return CallToolResult(content=[], is_error=True)
            same(looked.status, "working", "the task")
            await asyncio.sleep(min(task.poll_interval_ms / 1000, 1))
        raise AssertionError("the task does not end")


def cells(adapter: Any) -> dict[str, Callable[[str], Awaitable[str | None]]]:
    plain, asking = SETTINGS["plain"], SETTINGS["asking"]

    async def list_(label: str) -> str:
        async with adapter.connected(plain) as session:
            task = completed(await start(session, "completed", label))
            listed = await session.list()
            same(listed["tools"], TOOLS, "tools")
            same(listed["prompts"], PROMPTS, "prompts")
            same(len(listed["templates"]), TEMPLATES, "templates")
            expect(f"research://{task}/report" in listed["resources"], "the report is not listed")
            return f"protocol {session.version}"

    async def call(label: str) -> None:
        async with adapter.connected(plain) as session:
            query = question("completed", label)
            estimate = await session.call("estimate_research_cost", {"query": query})
            expect(estimate.structured_content["estimated_cost"]["likely_usd"] > 0, "no estimate")
            task = completed(await session.call("start_deep_research", {"query": query}))
            results = await session.call("get_research_results", {"task_id": task})
            expect(len(results.structured_content["report"]) > 100, "no report")
            same(accepted(task), 1, "accepted")

    async def errors(_label: str) -> None:
        async with adapter.connected(plain) as session:
            unknown = await session.call("get_research_results", {"task_id": "res_" + "0" * 32})
            same([unknown.is_error, unknown.structured_content["error"]["code"]], [True, "NOT_FOUND"], "no research")
            bad = await session.call("start_deep_research", {"query": "x", "model": "no-such-agent"})
            same([bad.is_error, bad.structured_content["success"]], [True, False], "a bad argument")

    async def progress(label: str) -> str:
        signs: list[float] = []

        async def told(progress: float, _total: float | None, _message: str | None) -> None:
            signs.append(progress)

        async with adapter.connected(plain) as session:
            completed(await start(session, OVER_TWO_SIGNS, label, progress=told))
        expect(len(signs) >= 2, f"{len(signs)} signs of progress")
        expect(signs == sorted(set(signs)), f"progress does not grow: {signs}")
        return f"{len(signs)} notifications"

    async def cancel(label: str) -> None:
        async with adapter.connected(plain) as session:
            call = asyncio.ensure_future(start(session, UNTIL_CANCELLED, label))
            task = await running(session, label)
            call.cancel()
            answers = await asyncio.gather(call, return_exceptions=True)
            expect(isinstance(answers[0], asyncio.CancelledError), f"an answer all the same: {answers[0]!r}")
            await judge_cancel(session, task)

    async def drop(label: str) -> None:
        query = question(LONGER_THAN_PATIENCE, label)
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-B", "-W", "ignore", sys.argv[0], "hang", query,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        try:
            async with adapter.connected(plain) as session:
                task = await running(session, label)
            expect(child.returncode is None, "the client left by itself")
        finally:
            if child.returncode is None:
                child.send_signal(signal.SIGKILL)
            await child.wait()
        async with adapter.connected(plain) as session:
            same(await ended(session, task), "completed", "the research")
            results = await session.call("get_research_results", {"task_id": task})
            expect(len(results.structured_content["report"]) > 100, "no report")
            same(accepted(task), 1, "accepted")

    async def timeout(label: str) -> None:
        async with adapter.connected(plain) as session:
            try:
                await start(session, LONGER_THAN_PATIENCE, label, timeout=PATIENCE)
                raise AssertionError("the client did not give up")
            except adapter.errors as error:
                expect(re.search("timed? ?out", str(error), re.IGNORECASE), f"another error: {error}")
            researches = await found(session, label)
            same(len(researches), 1, "researches")
            status = await ended(session, researches[0]["task_id"])
            same(accepted(researches[0]["task_id"]), 1, "accepted")
            same(status, "completed", "the research")

    async def elicitation_yes(label: str) -> None:
        async with adapter.connected(asking, answer="accept") as session:
            task = completed(await start(session, "completed", label))
            same([session.asked, accepted(task)], [1, 1], "asked and accepted")

    async def elicitation_no(label: str) -> None:
        async with adapter.connected(asking, answer="decline") as session:
            answer = await start(session, "completed", label)
            same(answer.structured_content["status"], "declined", "the start")
            same([session.asked, len(await found(session, label))], [1, 0], "asked and started")

    async def elicitation_cannot(label: str) -> None:
        async with adapter.connected(asking) as session:
            told = (await start(session, "completed", label)).structured_content
            same([told["status"], told["task_id"]], ["needs_confirmation", ""], "the unasked start")
            same(len(await found(session, label)), 0, "started")
            amount = float(re.search(r"confirmed_cost_usd=(\d+(\.\d+)?)", told["message"])[1])
            task = completed(await start(session, "completed", label, {"confirmed_cost_usd": amount}))
            same(accepted(task), 1, "accepted")

    async def tasks(label: str) -> str | None:
        legacy = SETTINGS["era"] == "legacy"
        # What claims results is not declared in the old era, so there it is declared and nothing else.
        extension = advertise(TASKS, {}) if legacy else TasksExtension()
        async with adapter.connected(plain, extensions=[extension]) as session:
            task = completed(await start(session, OVER_TWO_SIGNS, f"{label} to its end"))
            same(accepted(task), 1, "accepted")
        if legacy:
            return "declared in the old era: gets the answer, not a task"
        same(extension.seen, [task], "tasks")
        unwanted = TasksExtension(unwanted=True)
        async with adapter.connected(plain, extensions=[unwanted]) as session:
            await start(session, UNTIL_CANCELLED, f"{label} to be cancelled")
            same(len(unwanted.seen), 1, "tasks")
            same(await ended(session, unwanted.seen[0]), "cancelled", "the research")
        return None

    async def resources(label: str) -> None:
        async with adapter.connected(plain) as session:
            task = completed(await start(session, "completed", label))
            report = await session.read(f"research://{task}/report")
            expect(report.mime_type == "text/markdown" and len(report.text) > 100, "no report")
            sources = json.loads((await session.read(f"research://{task}/sources")).text)
            expect(sources["sources"], "no sources")
            evidence = json.loads((await session.read(f"research://{task}/evidence")).text)
            expect(evidence["verified"] is False and evidence["claims"], "no evidence")
            try:
                await session.read(f"research://{task}/nothing")
                raise AssertionError("a resource that is not there was read")
            except adapter.errors:
                pass

    async def subscribe(label: str) -> None:
        async with adapter.connected(plain) as session:
            call = asyncio.ensure_future(start(session, LONGER_THAN_PATIENCE, label))
            task = await running(session, label)
            uri = f"research://{task}/report"
            same(await asyncio.wait_for(session.updated(uri), WAIT_MAX), uri, "the update")
            completed(await call)

    return {
        "list": list_,
        "call": call,
        "errors": errors,
        "progress": progress,
        "cancel": cancel,
        "drop": drop,
        "timeout": timeout,
        "elicitation: yes": elicitation_yes,
        "elicitation: no": elicitation_no,
        "elicitation: cannot": elicitation_cannot,
        "tasks": tasks,
        "resources": resources,
        "subscribe": subscribe,
    }


def alone(error: BaseException) -> BaseException:
    """Libraries wrap what went wrong into groups; a group of one is its one."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


async def fill(client: str, adapter: Any) -> None:
    """Runs the cells one after the other and prints a line for each."""
    era, transport, only = SETTINGS["era"], SETTINGS["transport"], SETTINGS.get("only")
    for cell, work in cells(adapter).items():
        if only and cell not in only:
            continue
        line = {"client": client, "era": era, "transport": transport, "cell": cell, "outcome": "pass"}
        try:
            detail = await asyncio.wait_for(work(f"{client} {era} {transport} {cell}"), CELL_MAX)
            line["detail"] = detail or ""
        except Exception as error:  # noqa: BLE001 - whatever it is, the cell fails and the next one runs
            why = alone(error)
            outcome = "unsupported" if isinstance(why, Unsupported) else "fail"
            line |= {"outcome": outcome, "detail": str(why) or repr(why)}
        print(json.dumps(line), flush=True)


async def hang(adapter: Any) -> None:
    """A client that crashes: it is killed while it waits here."""
    async with adapter.connected(SETTINGS["plain"]) as session:
        await session.call("start_deep_research", {"query": sys.argv[2]})


def main(client: str, adapter: Any) -> None:
    work = hang(adapter) if sys.argv[1:2] == ["hang"] else fill(client, adapter)
    asyncio.run(work)
