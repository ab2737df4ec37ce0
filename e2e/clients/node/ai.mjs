// ai with @ai-sdk/openai-compatible: streamText and its tool loop.
import { jsonSchema, stepCountIs, streamText, tool } from 'ai';

export function converse({ settings, headers, system, tools }) {
  const model = settings.modelOf(headers);
  const messages = [];
  const set = Object.fromEntries(
    tools.map(({ name, description, parameters, run }) => [
      name,
      tool({ description, inputSchema: jsonSchema(parameters), execute: run }),
    ]),
  );
  return async (prompt) => {
    messages.push({ role: 'user', content: prompt });
    let failure;
    const result = streamText({
      model, system, messages, tools: set, stopWhen: stepCountIs(10),
      onError: ({ error }) => { failure = error; },
    });
    await result.consumeStream();
    if (failure) throw failure;
    messages.push(...(await result.response).messages);
    return result.text;
  };
}
