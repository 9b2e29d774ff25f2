"""A counterpart on FastMCP.

usage: fastmcp_server.py stdio
       fastmcp_server.py sse PORT
       fastmcp_server.py http PORT {stateful,stateless} {sse,json}

It listens on the loopback address only.
"""

import asyncio
import sys

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError

transport, *options = sys.argv[1:]

server = FastMCP("fastmcp", instructions="A counterpart for tests.")


@server.tool
def echo(text: str) -> str:
    """Returns the text unchanged."""
    return text


@server.tool
def add(a: int, b: int) -> int:
    """Adds two integers; the result is structured too."""
    return a + b


@server.tool
def fail() -> str:
    """Reports an error the way a tool is meant to."""
    raise ToolError("it failed")


@server.tool(name="throw")
def throw_uncaught() -> str:
    """Raises what nobody catches."""
    raise ValueError("boom")


@server.tool
async def slow(ctx: Context, steps: int = 3, delay_ms: int = 200) -> str:
    """Takes its time, with progress at each step."""
    for step in range(1, steps + 1):
        await asyncio.sleep(delay_ms / 1000)
        await ctx.report_progress(step, steps, f"step {step}")
    return f"done after {steps} steps"


@server.tool
async def confirm(ctx: Context) -> str:
    """Asks the user by elicitation."""
    answer = await ctx.elicit("Is this right?", response_type=bool)
    return f"{answer.action} {getattr(answer, 'data', None)}"


@server.resource("test://static")
def static() -> str:
    """A text that never changes."""
    return "static text"


@server.resource("test://item/{key}")
def item(key: str) -> str:
    """One resource for each key."""
    return f"item {key}"


@server.prompt
def greet(name: str) -> str:
    """A prompt with one argument."""
    return f"Hello {name}"


if transport == "stdio":
    server.run("stdio", show_banner=False)
else:
    where = {"host": "127.0.0.1", "port": int(options[0]), "show_banner": False}
    if transport == "http":
        where["stateless_http"] = "stateless" in options
        where["json_response"] = "json" in options
    server.run(transport, **where)
