// An application on one client library, named by the first argument: one
// conversation an agent, and two tools, one of which hands a task to another agent
// within the turn. It reads one turn a line and answers with one line, the turn's
// last text or its error. How the library is pointed at a proxy is not here: it is
// the module named by SETTINGS.
import { createInterface } from 'node:readline';

const { converse } = await import(`./${process.argv[2]}.mjs`);
const settings = await import(process.env.SETTINGS);

const conversations = new Map(); // name → (prompt) => Promise<text>

async function ask(turn) {
  if (!conversations.has(turn.name)) {
    conversations.set(turn.name, converse({ settings, headers: headersOf(turn), system: turn.system, tools: toolsOf(turn) }));
  }
  return conversations.get(turn.name)(turn.prompt);
}

function headersOf(turn) {
  const headers = { 'X-Story': turn.name };
  if (turn.identified) headers['X-Agent-Id'] = turn.name;
  if (turn.identified && turn.parent) headers['X-Agent-Parent-Id'] = turn.parent;
  return headers;
}

const text = { type: 'string' };
const toolsOf = (turn) => [
  {
    name: 'look',
    description: 'Look at a thing.',
    parameters: { type: 'object', properties: { at: text }, required: ['at'], additionalProperties: false },
    run: async ({ at }) => `saw ${at}`,
  },
  {
    name: 'delegate',
    description: 'Hand a task to a new agent.',
    parameters: { type: 'object', properties: { agent: text, task: text }, required: ['agent', 'task'], additionalProperties: false },
    run: async ({ agent, task }) => {
      const said = await ask({ ...turn, name: agent, parent: turn.name, prompt: task });
      return `${agent} ends with: ${said}`;
    },
  },
];

for await (const line of createInterface({ input: process.stdin })) {
  let reply;
  try {
    reply = { text: await ask(JSON.parse(line)) };
  } catch (error) {
    reply = { error: String(error.stack ?? error) };
  }
  process.stdout.write(JSON.stringify(reply) + '\n');
}
