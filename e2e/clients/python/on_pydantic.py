"""pydantic-ai, streamed."""

from pydantic_ai import Agent


def converse(settings, headers, system, tools):
    agent = Agent(settings.model_of(headers), system_prompt=system, tools=tools)
    history = []

    async def ask(prompt):
        nonlocal history
        async with agent.iter(prompt, message_history=history) as run:
            async for node in run:
                if Agent.is_model_request_node(node):
                    async with node.stream(run.ctx) as stream:
                        async for _ in stream:
                            pass
        history = run.result.all_messages()
        return run.result.output

    return ask
