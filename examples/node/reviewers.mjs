// A lead, and two reviewers that fork from it and send it what they find.
//
// Nothing here but the SDK and headers. It is TypeScript without a type to write, so
// Node runs it as it is. Start the proxy, then:
//
//   OPENAI_BASE_URL=http://127.0.0.1:8080/v1 OPENAI_API_KEY=… MODEL=… node reviewers.mjs
import { randomUUID } from 'node:crypto';
import OpenAI from 'openai';

const model = process.env.MODEL ?? 'sim-1';
const run = randomUUID().slice(0, 8); // agents are remembered: a new run has new ones

const change = `
-func Token(r *http.Request) string { return r.Header.Get("Authorization") }
+func Token(r *http.Request) string {
+	t := r.Header.Get("Authorization")
+	log.Printf("token %s", t)
+	return strings.TrimPrefix(t, "Bearer ")
+}
`;

// agent begins one conversation, whose headers say whose it is, and returns how to go on.
function agent(name, { parent, system } = {}) {
  const id = `${name}-${run}`;
  const defaultHeaders = { 'X-Agent-Id': id };
  if (parent) defaultHeaders['X-Agent-Parent-Id'] = parent.id;
  const client = new OpenAI({ defaultHeaders });
  // A fork keeps what is its own; the proxy puts what it inherits before it.
  const messages = system ? [{ role: 'system', content: system }] : [];
  return {
    id,
    async ask(content) {
      messages.push({ role: 'user', content });
      const { choices, usage } = await client.chat.completions.create({ model, messages });
      messages.push({ role: 'assistant', content: choices[0].message.content });
      const cached = usage?.prompt_tokens_details?.cached_tokens ?? 0;
      console.log(`${id}: ${usage?.prompt_tokens} prompt tokens, ${cached} of them cached`);
      return choices[0].message.content;
    },
  };
}

const lead = agent('lead', { system: 'You lead the review of a change. Be brief.' });
await lead.ask(`Read this change, and say when you have.\n${change}`);

// Each reviewer begins with the very bytes that the lead has sent, and is told by the
// proxy how to report: its message goes to the lead, not through this program.
await Promise.all(
  ['security', 'readability'].map((concern) =>
    agent(concern, { parent: lead }).ask(`Review the change for ${concern}.`),
  ),
);

console.log(await lead.ask('What did the reviewers find?'));
