"""openai: chat completions, streamed, the loop by hand."""

import json

FIELDS = {"look": ["at"], "delegate": ["agent", "task"]}


def converse(settings, headers, system, tools):
    client = settings.client_of(headers)
    messages = [{"role": "system", "content": system}]
    run = {tool.__name__: tool for tool in tools}
    definitions = [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": tool.__doc__,
                "parameters": {
                    "type": "object",
                    "properties": {field: {"type": "string"} for field in FIELDS[name]},
                    "required": FIELDS[name],
                },
            },
        }
        for name, tool in run.items()
    ]

    async def ask(prompt):
        messages.append({"role": "user", "content": prompt})
        while True:
            async with client.chat.completions.stream(
                model="your-model", messages=messages, tools=definitions
            ) as stream:
                message = (await stream.get_final_completion()).choices[0].message
            messages.append(message.model_dump(include={"role", "content", "tool_calls"}, exclude_none=True))
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                content = await run[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": content})

    return ask
