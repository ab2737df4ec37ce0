// openai: the Responses API, streamed, stateless: the whole input each time.
export function converse({ settings, headers, system, tools }) {
  const client = settings.clientOf(headers);
  const input = [];
  const functions = tools.map(({ run, ...definition }) => ({ type: 'function', strict: true, ...definition }));
  return async (prompt) => {
    input.push({ role: 'user', content: prompt });
    for (;;) {
      const stream = client.responses.stream({ model: 'your-model', instructions: system, input, tools: functions, store: false });
      const response = await stream.finalResponse();
      input.push(...response.output);
      const calls = response.output.filter((item) => item.type === 'function_call');
      if (calls.length === 0) return response.output_text;
      for (const call of calls) {
        const tool = tools.find(({ name }) => name === call.name);
        const output = await tool.run(JSON.parse(call.arguments));
        input.push({ type: 'function_call_output', call_id: call.call_id, output });
      }
    }
  };
}
