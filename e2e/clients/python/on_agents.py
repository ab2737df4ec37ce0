"""openai-agents: chat mode, streamed, with another agent that a turn can be handed to."""

from agents import Agent, Runner, function_tool


def converse(settings, headers, system, tools):
    model = settings.model_of(headers)
    functions = [function_tool(tool) for tool in tools]
    closer = Agent(name="closer", instructions="Close what was begun.", model=model, tools=functions[:1])
    agent = Agent(name="worker", instructions=system, model=model, tools=functions, handoffs=[closer])
    history = []

    async def ask(prompt):
        nonlocal history
        result = Runner.run_streamed(agent, [*history, {"role": "user", "content": prompt}])
        async for _ in result.stream_events():
            pass
        history = result.to_input_list()
        return result.final_output

    return ask
