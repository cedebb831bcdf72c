"""The Python library `mcp`, in both eras."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult, ResourceUpdatedNotification

from cells import MODERN, SETTINGS, main, same

MODERN_ERA = SETTINGS["era"] == "modern"
# A call is open for half a minute.
HTTP_SECONDS_MAX = 60


@asynccontextmanager
async def reached(place: dict[str, Any]) -> AsyncIterator[Any]:
    if "command" in place:
        parameters = StdioServerParameters(command=place["command"], args=place["args"], env=place["env"])
        with open("/dev/null", "w") as nowhere:
            yield stdio_client(parameters, errlog=nowhere)
        return
    headers = {"Authorization": f"Bearer {place['token']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=HTTP_SECONDS_MAX) as http:
        yield streamable_http_client(place["url"], http_client=http)


class Session:
    def __init__(self) -> None:
        self.client: Client
        self.asked = 0
        self.updates: asyncio.Queue[str] = asyncio.Queue()

    @property
    def version(self) -> str:
        return self.client.protocol_version

    async def list(self) -> dict[str, list[str]]:
        return {
            "tools": [tool.name for tool in (await self.client.list_tools()).tools],
            "prompts": [prompt.name for prompt in (await self.client.list_prompts()).prompts],
            "templates": [one.name for one in (await self.client.list_resource_templates()).resource_templates],
            "resources": [str(one.uri) for one in (await self.client.list_resources()).resources],
        }

    async def call(self, name: str, arguments: dict[str, Any], *, timeout: Any = None, progress: Any = None) -> Any:
        return await self.client.call_tool(
            name, arguments, read_timeout_seconds=timeout, progress_callback=progress
        )

    async def read(self, uri: str) -> Any:
        return (await self.client.read_resource(uri)).contents[0]

    async def updated(self, uri: str) -> str:
        """The first resource that is told to have changed."""
        if MODERN_ERA:
            async with self.client.listen(resource_subscriptions=[uri]) as events:
                async for event in events:
                    return str(event.uri)
        await self.client.subscribe_resource(uri)
        told = await self.updates.get()
        await self.client.unsubscribe_resource(uri)
        return told


class Adapter:
    errors = (MCPError,)

    @asynccontextmanager
    async def connected(self, place: dict[str, Any], answer: str = "", extensions: Any = None) -> AsyncIterator[Session]:
        session = Session()

        async def asked(_context: Any, _params: Any) -> ElicitResult:
            session.asked += 1
            content = {"start": True} if answer == "accept" else None
            return ElicitResult(action=answer, content=content)

        async def heard(message: Any) -> None:
            if isinstance(message, ResourceUpdatedNotification):
                session.updates.put_nowait(str(message.params.uri))

        async with reached(place) as transport:
            session.client = Client(
                transport,
                mode="auto" if MODERN_ERA else "legacy",
                elicitation_callback=asked if answer else None,
                message_handler=heard,
                extensions=extensions,
            )
            async with session.client:
                same(session.version >= MODERN, MODERN_ERA, f"the era of {session.version}")
                yield session


main("python_mcp", Adapter())
