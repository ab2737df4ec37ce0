// A byte-level BPE tokenizer as GPT-2 has it, trained on what the tests send: so that
// prose and tool definitions come to the three to five bytes a token of real ones.
import { random } from './random.mjs';

export const control = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'];

// GGUF writes each byte as one printable character.
const letters = (() => {
  const out = [];
  let other = 256;
  for (let b = 0; b < 256; b++) {
    const printable = (b > 32 && b < 127) || (b > 160 && b !== 173);
    out.push(String.fromCodePoint(printable ? b : other++));
  }
  return out;
})();
const bytes = new Map(letters.map((letter, b) => [letter, b]));
const encode = text => [...Buffer.from(text)].map(b => letters[b]);

const pieces = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

// corpus is the words in random order, with the more common ones first in the list, and
// the tools and the template as they are.
function corpus({ words, tools, template }) {
  const next = random(1);
  let text = template.repeat(4);
  for (const tool of tools) text += JSON.stringify(tool).replace(/([:,])(?=["{[])/g, '$1 ').repeat(8) + '\n';
  for (let i = 0; i < 20000; i++) {
    const word = words[Math.floor(next() ** 2 * words.length)];
    text += i % 10 ? ' ' + word : '. ' + word[0].toUpperCase() + word.slice(1);
  }
  return text;
}

// train returns { tokens, merges, printable }; printable(i) tells whether token i is
// printable ASCII. The same material gives the same tokenizer.
export function train(material, size) {
  const counts = new Map();
  for (const [piece] of corpus(material).matchAll(pieces)) counts.set(piece, (counts.get(piece) ?? 0) + 1);
  const words = [...counts].map(([piece, count]) => ({ parts: encode(piece), count }));
  const tokens = [...letters], merges = [], known = new Set(letters);
  while (tokens.length + control.length < size) {
    const pairs = new Map();
    for (const { parts, count } of words) {
      for (let i = 1; i < parts.length; i++) {
        const pair = parts[i - 1] + ' ' + parts[i];
        pairs.set(pair, (pairs.get(pair) ?? 0) + count);
      }
    }
    let best, most = 0;
    for (const [pair, count] of pairs) {
      if (count > most || (count === most && pair < best)) [best, most] = [pair, count];
    }
    if (!best) break;
    const [left, right] = best.split(' ');
    for (const { parts } of words) {
      for (let i = 1; i < parts.length; i++) {
        if (parts[i - 1] === left && parts[i] === right) parts.splice(i - 1, 2, left + right);
      }
    }
    merges.push(best);
    if (!known.has(left + right)) tokens.push(left + right);
    known.add(left + right);
  }
  const plain = tokens.length;
  const printable = i => i < plain && [...tokens[i]].every(c => bytes.get(c) >= 32 && bytes.get(c) < 127);
  return { tokens: [...tokens, ...control], merges, printable };
}
