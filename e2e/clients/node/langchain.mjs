// @langchain/openai in a langgraph agent, streamed.
import { tool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';

export function converse({ settings, headers, system, tools }) {
  const agent = createReactAgent({
    llm: settings.modelOf(headers),
    prompt: system,
    tools: tools.map(({ name, description, parameters, run }) => tool(run, { name, description, schema: parameters })),
  });
  let messages = [];
  return async (prompt) => {
    messages = [...messages, { role: 'user', content: prompt }];
    for await (const [mode, state] of await agent.stream({ messages }, { streamMode: ['messages', 'values'] })) {
      if (mode === 'values') messages = state.messages;
    }
    return messages.at(-1).content;
  };
}
