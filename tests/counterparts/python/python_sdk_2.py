"""A counterpart on the Python SDK, 2.x line.

usage: python_sdk_2.py stdio
       python_sdk_2.py http PORT {stateful,stateless} {sse,json}

It listens on the loopback address only.
"""

import asyncio
import json
import sys
from typing import Annotated

from mcp import MCPError
from mcp.server.mcpserver import Context, Elicit, ElicitationResult, MCPServer, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel

transport, *options = sys.argv[1:]

server = MCPServer("python-sdk-2", instructions="A counterpart for tests.")


class Confirmation(BaseModel):
    """The form that `confirm` asks the user to fill in."""

    confirmed: bool


@server.tool()
def echo(text: str) -> str:
    """Returns the text unchanged."""
    return text


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two integers; the result is structured too."""
    return a + b


@server.tool()
def fail() -> str:
    """Reports an error the way a tool is meant to."""
    raise ToolError("it failed")


@server.tool(name="throw")
def throw_uncaught() -> str:
    """Raises what nobody catches."""
    raise ValueError("boom")


@server.tool()
def protocol_error() -> str:
    """Answers with an error of the protocol, in a code of its own."""
    raise MCPError(-32050, "an error of its own", {"key": 1})


@server.tool()
async def slow(ctx: Context, steps: int = 3, delay_ms: int = 200) -> str:
    """Takes its time, with progress at each step."""
    for step in range(1, steps + 1):
        await asyncio.sleep(delay_ms / 1000)
        await ctx.report_progress(step, steps, f"step {step}")
    return f"done after {steps} steps"


async def ask() -> Confirmation | Elicit[Confirmation]:
    """The question of `confirm`; the SDK puts it as the era wants it."""
    return Elicit("Is this right?", Confirmation)


@server.tool()
async def confirm(answer: Annotated[ElicitationResult[Confirmation], Resolve(ask)]) -> str:
    """Asks the user by elicitation."""
    form = getattr(answer, "data", None)
    return f"{answer.action} {json.dumps(form and form.confirmed)}"


@server.resource("test://static")
def static() -> str:
    """A text that never changes."""
    return "static text"


@server.resource("test://item/{key}")
def item(key: str) -> str:
    """One resource for each key."""
    return f"item {key}"


@server.prompt()
def greet(name: str) -> str:
    """A prompt with one argument."""
    return f"Hello {name}"


if transport == "stdio":
    server.run("stdio")
else:
    where = {"host": "127.0.0.1", "port": int(options[0])}
    server.run("streamable-http", **where, stateless_http="stateless" in options, json_response="json" in options)
