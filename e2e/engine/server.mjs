// An OpenAI-compatible server on a real engine, llama.cpp, with its real KV cache: a
// prompt's longest prefix that the chosen slot holds is kept, the rest is processed.
//
//   node server.mjs [--port 0] [--slots 4] [--context 16384]
//
// GET /requests tells what the engine did for each request, in the order of their
// starts: what of its prompt was cached, and what was processed.
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Template } from '@huggingface/jinja';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { writeModel } from './model.mjs';

const { values: flags } = parseArgs({ options: {
  port: { type: 'string', default: '0' },
  slots: { type: 'string', default: '4' },
  context: { type: 'string', default: '16384' },
} });

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'engine-'));
process.on('exit', () => fs.rmSync(directory, { recursive: true }));
const file = path.join(directory, 'nano.gguf');
writeModel(file);

// One thread: the model is too small for more to pay.
const llama = await getLlama({ gpu: false, build: 'never', progressLogs: false, logLevel: LlamaLogLevel.error, maxThreads: 1 });
const model = await llama.loadModel({ modelPath: file });
const context = await model.createContext({ contextSize: Number(flags.context), sequences: Number(flags.slots), batchSize: 512, threads: 1 });
const template = new Template(model.fileInfo.metadata.tokenizer.chat_template);

const slots = Array.from({ length: Number(flags.slots) }, () => ({ sequence: context.getSequence(), busy: false, used: 0 }));
const waiting = [];
const requests = [];

function prompt({ messages, tools, tool_choice }) {
  const plain = messages.map(m => ({
    ...m,
    content: Array.isArray(m.content) ? m.content.map(part => part.text ?? '').join('') : m.content ?? '',
    tool_calls: m.tool_calls?.map(c => ({ ...c, function: { ...c.function, arguments: JSON.parse(c.function.arguments) } })),
  }));
  const visible = tools?.length && tool_choice !== 'none' ? tools : undefined;
  return model.tokenize(template.render({ messages: plain, tools: visible, add_generation_prompt: true }), true);
}

// slotFor is llama-server's rule: the idle slot that holds the longest prefix of the
// prompt, if that is more than a tenth of it, else the one unused longest. A busy slot
// cannot be matched, whatever it holds.
function slotFor(tokens) {
  const idle = slots.filter(s => !s.busy);
  let best, longest = tokens.length / 10;
  for (const slot of idle) {
    const held = slot.sequence.compareContextTokens(tokens).firstDifferentIndex;
    if (held > longest) [best, longest] = [slot, held];
  }
  return best ?? idle.sort((a, b) => a.used - b.used)[0];
}

async function take(tokens) {
  for (;;) {
    const slot = slotFor(tokens);
    if (slot) {
      slot.busy = true;
      return slot;
    }
    await new Promise(resolve => waiting.push(resolve));
  }
}

function give(slot) {
  slot.busy = false;
  slot.used = performance.now();
  for (const resolve of waiting.splice(0)) resolve();
}

async function chat(request, response) {
  const tokens = prompt(request);
  const most = request.max_completion_tokens ?? request.max_tokens ?? 16;
  if (tokens.length + most > Number(flags.context)) {
    return send(response, 400, { error: { message: `${tokens.length} tokens exceed the context`, type: 'exceed_context_size_error', code: 400 } });
  }
  let left = false;
  response.on('close', () => { left = true; });
  const slot = await take(tokens);
  try {
    // The last token is always processed: its output is what is asked for.
    await slot.sequence.adaptStateToTokens(tokens.slice(0, -1), false);
    const cached = slot.sequence.nextTokenIndex;
    const number = requests.push({ prompt: tokens.length, cached, processed: tokens.length - cached, slot: slots.indexOf(slot) });
    const common = { id: `chatcmpl-${number}`, created: 0, model: request.model };
    const event = (more, choices) => response.write(`data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices, ...more })}\n\n`);
    const delta = (delta, finish_reason = null) => event({}, [{ index: 0, delta, finish_reason }]);
    if (request.stream) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      delta({ role: 'assistant', content: '' });
    }
    const out = [];
    let content = '';
    for await (const token of slot.sequence.evaluate(tokens.slice(cached), { temperature: 0, yieldEogToken: true })) {
      out.push(token);
      const whole = model.detokenize(out);
      if (request.stream) delta({ content: whole.slice(content.length) });
      content = whole;
      if (left || out.length >= most) break;
    }
    const usage = {
      prompt_tokens: tokens.length, completion_tokens: out.length, total_tokens: tokens.length + out.length,
      prompt_tokens_details: { cached_tokens: cached },
    };
    const timings = { cache_n: cached, prompt_n: tokens.length - cached, predicted_n: out.length };
    if (!request.stream) {
      const message = { role: 'assistant', content };
      return send(response, 200, { ...common, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'length' }], usage, timings });
    }
    delta({}, 'length');
    if (request.stream_options?.include_usage) event({ usage, timings }, []);
    response.end('data: [DONE]\n\n');
  } finally {
    give(slot);
  }
}

function send(response, status, value) {
  const body = JSON.stringify(value);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

async function answer(request, response) {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  switch (`${request.method} ${request.url}`) {
    case 'POST /v1/chat/completions': return chat(JSON.parse(body), response);
    case 'GET /v1/models': return send(response, 200, { object: 'list', data: [{ id: 'nano', object: 'model', owned_by: 'local' }] });
    case 'GET /requests': return send(response, 200, requests);
  }
  return send(response, 404, { error: { message: 'not found', type: 'not_found_error', code: 404 } });
}

const server = http.createServer((request, response) => {
  answer(request, response).catch(error => {
    console.error(error);
    if (response.headersSent) return response.destroy();
    send(response, 500, { error: { message: String(error), type: 'server_error', code: 500 } });
  });
});
server.listen(Number(flags.port), '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
