// @openai/agents: chat mode, streamed, with another agent that a turn can be handed to.
import { Agent, Runner, tool } from '@openai/agents';

export function converse({ settings, headers, system, tools }) {
  const model = settings.modelOf(headers);
  const functions = tools.map(({ run, ...definition }) => tool({ ...definition, strict: true, execute: run }));
  const closer = new Agent({ name: 'closer', instructions: 'Close what was begun.', model, tools: functions.slice(0, 1) });
  const agent = new Agent({
    name: 'worker',
    instructions: system,
    model,
    handoffs: [closer],
    tools: functions,
  });
  const runner = new Runner({ tracingDisabled: true });
  let history = [];
  return async (prompt) => {
    const result = await runner.run(agent, [...history, { role: 'user', content: prompt }], { stream: true });
    await result.completed;
    if (result.error) throw result.error;
    history = result.history;
    return result.finalOutput;
  };
}
