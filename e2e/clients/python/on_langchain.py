"""langchain-openai in a langgraph agent, streamed."""

from langchain_core.tools import tool
from langgraph.prebuilt import create_react_agent


def converse(settings, headers, system, tools):
    agent = create_react_agent(settings.model_of(headers), [tool(function) for function in tools], prompt=system)
    messages = []

    async def ask(prompt):
        nonlocal messages
        state = {"messages": [*messages, ("user", prompt)]}
        async for mode, state in agent.astream(state, stream_mode=["messages", "values"]):
            if mode == "values":
                messages = state["messages"]
        return messages[-1].content

    return ask
