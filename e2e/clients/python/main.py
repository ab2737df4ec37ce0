"""An application on one client library, named by the first argument.

One conversation an agent, and two tools, one of which hands a task to another
agent within the turn. It reads one turn a line and answers with one line: the
turn's last text, or its error. How the library is pointed at a proxy is not
here: it is the module settings.
"""

import asyncio
import importlib
import json
import sys
import traceback

import settings

library = importlib.import_module("on_" + sys.argv[1])
conversations = {}  # name → its ask


class Turn:
    """A person's prompt to one agent, or a parent's task."""

    def __init__(self, fields):
        self.fields = fields
        self.name, self.system, self.prompt = fields["name"], fields["system"], fields["prompt"]

    @property
    def headers(self):
        headers = {"X-Story": self.name}
        if self.fields["identified"]:
            headers["X-Agent-Id"] = self.name
            if self.fields.get("parent"):
                headers["X-Agent-Parent-Id"] = self.fields["parent"]
        return headers

    @property
    def tools(self):
        async def look(at: str) -> str:
            """Look at a thing."""
            return "saw " + at

        async def delegate(agent: str, task: str) -> str:
            """Hand a task to a new agent."""
            said = await ask(Turn(self.fields | {"name": agent, "parent": self.name, "prompt": task}))
            return f"{agent} ends with: {said}"

        return [look, delegate]


async def ask(turn):
    if turn.name not in conversations:
        conversations[turn.name] = library.converse(settings, turn.headers, turn.system, turn.tools)
    return await conversations[turn.name](turn.prompt)


async def main():
    while line := await asyncio.to_thread(sys.stdin.readline):
        try:
            reply = {"text": await ask(Turn(json.loads(line)))}
        except Exception:
            reply = {"error": traceback.format_exc(limit=-2)}
        print(json.dumps(reply), flush=True)


asyncio.run(main())
