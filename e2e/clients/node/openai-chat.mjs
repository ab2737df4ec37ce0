// openai: chat completions, streamed, with the library's own tool loop.
export function converse({ settings, headers, system, tools }) {
  const client = settings.clientOf(headers);
  let messages = [{ role: 'system', content: system }];
  const functions = tools.map(({ run, ...definition }) => ({
    type: 'function',
    function: { ...definition, parse: JSON.parse, function: run },
  }));
  return async (prompt) => {
    messages = [...messages, { role: 'user', content: prompt }];
    const runner = client.chat.completions.runTools({ model: 'your-model', messages, tools: functions, stream: true });
    const text = await runner.finalContent();
    messages = runner.messages;
    return text;
  };
}
