"""The client of `fastmcp`, in both eras."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from fastmcp.exceptions import ToolError
from mcp.client.subscriptions import listen
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult, ResourceUpdatedNotification

from cells import MODERN, SETTINGS, main, same

MODERN_ERA = SETTINGS["era"] == "modern"


def transport_to(place: dict[str, Any]) -> StdioTransport | StreamableHttpTransport:
    if "command" in place:
        return StdioTransport(
            place["command"], place["args"], env=place["env"], keep_alive=False, log_file=Path("/dev/null")
        )
    return StreamableHttpTransport(place["url"], headers={"Authorization": f"Bearer {place['token']}"})


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
            "tools": [tool.name for tool in await self.client.list_tools()],
            "prompts": [prompt.name for prompt in await self.client.list_prompts()],
            "templates": [template.name for template in await self.client.list_resource_templates()],
            "resources": [str(resource.uri) for resource in await self.client.list_resources()],
        }

    async def call(self, name: str, arguments: dict[str, Any], *, timeout: Any = None, progress: Any = None) -> Any:
        return await self.client.call_tool(
            name, arguments, timeout=timeout, progress_handler=progress, raise_on_error=False
        )

    async def read(self, uri: str) -> Any:
        return (await self.client.read_resource(uri))[0]

    async def updated(self, uri: str) -> str:
        """The first resource that is told to have changed. Its own session is the way it gives for this."""
        if MODERN_ERA:
            async with listen(self.client.session, resource_subscriptions=[uri]) as events:
                async for event in events:
                    return str(event.uri)
        await self.client.session.subscribe_resource(uri)
        told = await self.updates.get()
        await self.client.session.unsubscribe_resource(uri)
        return told


class Adapter:
    errors = (MCPError, ToolError, TimeoutError)

    @asynccontextmanager
    async def connected(self, place: dict[str, Any], answer: str = "", extensions: Any = None) -> AsyncIterator[Session]:
        session = Session()

        async def asked(_message: str, _type: Any, _params: Any, _context: Any) -> ElicitResult:
            session.asked += 1
            content = {"start": True} if answer == "accept" else None
            return ElicitResult(action=answer, content=content)

        async def heard(message: Any) -> None:
            if isinstance(message, ResourceUpdatedNotification):
                session.updates.put_nowait(str(message.params.uri))

        session.client = Client(
            transport_to(place),
            mode="auto" if MODERN_ERA else "legacy",
            elicitation_handler=asked if answer else None,
            message_handler=heard,
            extensions=extensions,
        )
        async with session.client:
            same(session.version >= MODERN, MODERN_ERA, f"the era of {session.version}")
            yield session


main("python_fastmcp", Adapter())
