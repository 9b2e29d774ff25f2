"""A counterpart on the Python SDK, 1.x line.

usage: python_sdk.py stdio
       python_sdk.py sse PORT
       python_sdk.py http PORT {stateful,stateless} {sse,json}

It listens on the loopback address only.
"""

import asyncio
import sys

from mcp.server.fastmcp import Context, FastMCP
from mcp.server.fastmcp.exceptions import ToolError
from mcp.types import SamplingMessage, TextContent
from pydantic import BaseModel

transport, *options = sys.argv[1:]
port = int(options[0]) if options else 0

server = FastMCP(
    "python-sdk",
    instructions="A counterpart for tests.",
    host="127.0.0.1",
    port=port,
    stateless_http="stateless" in options,
    json_response="json" in options,
)


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
async def slow(ctx: Context, steps: int = 3, delay_ms: int = 200) -> str:
    """Takes its time, with progress and a log line at each step."""
    for step in range(1, steps + 1):
        await asyncio.sleep(delay_ms / 1000)
        await ctx.report_progress(step, steps, f"step {step}")
        await ctx.info(f"finished step {step}")
    return f"done after {steps} steps"


@server.tool()
async def confirm(ctx: Context) -> str:
    """Asks the user by elicitation."""
    answer = await ctx.elicit("Is this right?", schema=Confirmation)
    return f"{answer.action} {getattr(answer, 'data', None)}"


@server.tool()
async def sample(ctx: Context) -> str:
    """Asks the client's model."""
    question = SamplingMessage(role="user", content=TextContent(type="text", text="hi"))
    answer = await ctx.session.create_message(messages=[question], max_tokens=10)
    return f"sampled {answer.content}"


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


server.run({"stdio": "stdio", "sse": "sse", "http": "streamable-http"}[transport])
