// A model of the llama architecture with random weights: small enough to be made when it
// is needed, and as real as any to the engine's cache. The same every time.
import fs from 'node:fs';
import { bool, float, int, list, string, uint, write } from './gguf.mjs';
import { normal, random } from './random.mjs';
import { control, train } from './tokenizer.mjs';

const width = 64, layers = 2, heads = 2, keyHeads = 1, inner = 192, vocabulary = 3072, context = 32768;
const headWidth = width / heads;

const read = name => fs.readFileSync(new URL(name, import.meta.url), 'utf8');

export function writeModel(path) {
  const template = read('chat.jinja');
  const { tokens, merges, printable } = train({
    words: read('words.txt').split(/\s+/).filter(Boolean),
    tools: JSON.parse(read('tools.json')),
    template,
  }, vocabulary);
  const [end, , stop] = control.map((_, i) => tokens.length - control.length + i);

  const draw = normal(random(2));
  const tensors = [];
  const matrix = (name, columns, rows, scale = 1, row = () => 1) => {
    const data = new Float32Array(columns * rows);
    for (let i = 0; i < data.length; i++) data[i] = (draw() * scale * row(Math.floor(i / columns))) / Math.sqrt(columns);
    tensors.push({ name, shape: [columns, rows], data });
  };
  const ones = name => tensors.push({ name, shape: [width], data: new Float32Array(width).fill(1) });

  matrix('token_embd.weight', width, tokens.length, Math.sqrt(width));
  for (let l = 0; l < layers; l++) {
    ones(`blk.${l}.attn_norm.weight`);
    matrix(`blk.${l}.attn_q.weight`, width, width);
    matrix(`blk.${l}.attn_k.weight`, width, headWidth * keyHeads);
    matrix(`blk.${l}.attn_v.weight`, width, headWidth * keyHeads);
    matrix(`blk.${l}.attn_output.weight`, width, width, 3);
    ones(`blk.${l}.ffn_norm.weight`);
    matrix(`blk.${l}.ffn_gate.weight`, width, inner);
    matrix(`blk.${l}.ffn_up.weight`, width, inner);
    matrix(`blk.${l}.ffn_down.weight`, inner, width);
  }
  ones('output_norm.weight');
  // It says nothing but printable ASCII, and never that it is done.
  matrix('output.weight', width, tokens.length, 2, row => (printable(row) ? 1 : 0));

  write(path, {
    'general.architecture': string('llama'),
    'general.name': string('nano'),
    'llama.context_length': uint(context),
    'llama.embedding_length': uint(width),
    'llama.block_count': uint(layers),
    'llama.feed_forward_length': uint(inner),
    'llama.attention.head_count': uint(heads),
    'llama.attention.head_count_kv': uint(keyHeads),
    'llama.attention.layer_norm_rms_epsilon': float(1e-5),
    'llama.rope.dimension_count': uint(headWidth),
    'llama.vocab_size': uint(tokens.length),
    'tokenizer.ggml.model': string('gpt2'),
    'tokenizer.ggml.pre': string('gpt-2'),
    'tokenizer.ggml.tokens': list(tokens.map(string)),
    'tokenizer.ggml.token_type': list(tokens.map((_, i) => int(i < end ? 1 : 3))),
    'tokenizer.ggml.merges': list(merges.map(string)),
    'tokenizer.ggml.bos_token_id': uint(end),
    'tokenizer.ggml.eos_token_id': uint(stop),
    'tokenizer.ggml.padding_token_id': uint(end),
    'tokenizer.ggml.add_bos_token': bool(false),
    'tokenizer.chat_template': string(template),
  }, tensors);
}
