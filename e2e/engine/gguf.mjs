// The GGUF file format, version 3, as far as one small model needs it.
import fs from 'node:fs';

const align = 32;
const padding = n => Buffer.alloc((align - (n % align)) % align);

function number(method, size, value) {
  const b = Buffer.alloc(size);
  b[method](value);
  return b;
}
const u32 = n => number('writeUInt32LE', 4, n);
const u64 = n => number('writeBigUInt64LE', 8, BigInt(n));
const text = s => Buffer.concat([u64(Buffer.byteLength(s)), Buffer.from(s)]);

// Values of metadata, with their types.
export const uint = n => [u32(4), u32(n)];
export const int = n => [u32(5), number('writeInt32LE', 4, n)];
export const float = x => [u32(6), number('writeFloatLE', 4, x)];
export const bool = b => [u32(7), Buffer.from([b ? 1 : 0])];
export const string = s => [u32(8), text(s)];
export const list = values => [u32(9), values[0][0], u64(values.length), ...values.map(v => v[1])];

// write writes a model: metadata is name → value, tensors are { name, shape, data } with
// data a Float32Array, shape from the fastest dimension on.
export function write(path, metadata, tensors) {
  const head = [Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(Object.keys(metadata).length)];
  for (const [name, value] of Object.entries(metadata)) head.push(text(name), ...value);
  const body = [];
  let offset = 0;
  for (const { name, shape, data } of tensors) {
    head.push(text(name), u32(shape.length), ...shape.map(u64), u32(0), u64(offset));
    body.push(Buffer.from(data.buffer), padding(data.byteLength));
    offset += data.byteLength + padding(data.byteLength).length;
  }
  const front = Buffer.concat(head);
  fs.writeFileSync(path, Buffer.concat([front, padding(front.length), ...body]));
}
