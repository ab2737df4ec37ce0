// An application on the official SDK, as its users write it: one conversation an
// agent, two tools, and the four ways in which the SDK talks to a model. It reads
// one turn a line and answers with one line: the turn's last text, and the whole
// conversation as the SDK left it.
import OpenAI from 'openai';
import { createInterface } from 'node:readline';

const conversations = new Map(); // name → messages

// definitions are what models see of the tools; run carries them out.
const definitions = [
  {
    name: 'look',
    description: 'Look at a thing.',
    parameters: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] },
  },
  {
    name: 'delegate',
    description: 'Hand a task to a new agent.',
    parameters: {
      type: 'object',
      properties: { agent: { type: 'string' }, task: { type: 'string' } },
      required: ['agent', 'task'],
    },
  },
];

async function run(turn, name, args) {
  switch (name) {
    case 'look':
      return `saw ${args.at}`;
    case 'delegate': {
      const child = { ...turn, name: args.agent, parent: turn.name, first: true, prompt: args.task };
      return `${args.agent} ends with: ${(await ask(child)).text}`;
    }
  }
  throw new Error(`the model called ${name}, which this application does not have`);
}

function clientOf(turn) {
  const defaultHeaders = { 'X-Story': turn.name };
  if (turn.identified) defaultHeaders['X-Agent-Id'] = turn.name;
  if (turn.parent) defaultHeaders['X-Agent-Parent-Id'] = turn.parent;
  return new OpenAI({ baseURL: turn.url, apiKey: 'none', defaultHeaders });
}

// byHand asks until an answer calls nothing, running the calls itself.
async function byHand(turn, messages, answer) {
  const tools = definitions.map((definition) => ({ type: 'function', function: definition }));
  for (;;) {
    const message = await answer({ model: 'sim-1', messages, tools });
    messages.push(message);
    if (!message.tool_calls?.length) return messages;
    for (const call of message.tool_calls) {
      const content = await run(turn, call.function.name, JSON.parse(call.function.arguments));
      messages.push({ role: 'tool', tool_call_id: call.id, content });
    }
  }
}

async function byRunner(turn, messages, stream) {
  const tools = definitions.map((definition) => ({
    type: 'function',
    function: { ...definition, parse: JSON.parse, function: (args) => run(turn, definition.name, args) },
  }));
  const runner = clientOf(turn).chat.completions.runTools({ model: 'sim-1', messages, tools, stream });
  await runner.done();
  return runner.messages;
}

const ways = {
  create: (turn, messages) =>
    byHand(turn, messages, async (body) => (await clientOf(turn).chat.completions.create(body)).choices[0].message),
  stream: (turn, messages) =>
    byHand(turn, messages, (body) => clientOf(turn).chat.completions.stream(body).finalMessage()),
  run: (turn, messages) => byRunner(turn, messages, false),
  'run-stream': (turn, messages) => byRunner(turn, messages, true),
};

async function ask(turn) {
  const messages = [
    ...(turn.first ? [{ role: 'system', content: turn.system }] : conversations.get(turn.name)),
    { role: 'user', content: turn.prompt },
  ];
  const told = await ways[turn.way](turn, messages);
  conversations.set(turn.name, told);
  return { text: told.at(-1).content, messages: told };
}

for await (const line of createInterface({ input: process.stdin })) {
  let reply;
  try {
    reply = await ask(JSON.parse(line));
  } catch (error) {
    reply = { error: String(error.stack ?? error) };
  }
  process.stdout.write(JSON.stringify(reply) + '\n');
}
