// util: inspect and format, isDeepStrictEqual, promisify and a few more.
import { equal } from 'internal:equal';
import types from 'internal:types';

export { types };

const { TextDecoder: Decoder, TextEncoder: Encoder } = globalThis;
export { Decoder as TextDecoder, Encoder as TextEncoder };

const quote = (text) => (text.includes("'") ? JSON.stringify(text) : `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')}'`);
const keyOf = (key) => (typeof key === 'symbol' ? `[${String(key)}]` : /^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key));
const wrap = (prefix, open, items, close) => prefix + (items.length === 0 ? open + close : `${open} ${items.join(', ')} ${close}`);

const show = (value, depth, path) => {
  switch (typeof value) {
    case 'string': return quote(value);
    case 'bigint': return `${value}n`;
    case 'symbol': return String(value);
    case 'function': {
      const kind = /^class\b/.test(Function.prototype.toString.call(value)) ? 'class' : 'Function';
      return `[${kind}${value.name ? `: ${value.name}` : ' (anonymous)'}]`;
    }
    case 'object': break;
    default: return Object.is(value, -0) ? '-0' : String(value);
  }
  if (value === null) return 'null';
  if (path.includes(value)) return '[Circular *1]';
  if (value instanceof Error) return value.stack ? `${value.name}: ${value.message}\n${value.stack}` : `[${value.name}: ${value.message}]`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (value instanceof Promise) return 'Promise { <pending> }';
  const below = [...path, value];
  const name = Object.getPrototypeOf(value)?.constructor?.name;
  if (below.length > depth + 1) return Array.isArray(value) ? '[Array]' : `[${name ?? 'Object'}]`;
  const each = (v) => show(v, depth, below);
  if (Array.isArray(value)) {
    const items = value.slice(0, 100).map(each);
    if (value.length > 100) items.push(`... ${value.length - 100} more items`);
    return wrap('', '[', items, ']');
  }
  if (ArrayBuffer.isView(value) && !(value instanceof DataView))
    return wrap(`${name}(${value.length}) `, '[', [...value.subarray(0, 100)].map(each), ']');
  if (value instanceof Map) return wrap(`Map(${value.size}) `, '{', [...value].map(([k, v]) => `${each(k)} => ${each(v)}`), '}');
  if (value instanceof Set) return wrap(`Set(${value.size}) `, '{', [...value].map(each), '}');
  const items = Reflect.ownKeys(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key)).map((key) => {
    const { get, set, value: v } = Object.getOwnPropertyDescriptor(value, key);
    return `${keyOf(key)}: ${get ? (set ? '[Getter/Setter]' : '[Getter]') : set ? '[Setter]' : each(v)}`;
  });
  const prefix = name === undefined ? '[Object: null prototype] ' : name === 'Object' ? '' : `${name} `;
  return wrap(prefix, '{', items, '}');
};
export const inspect = (value, options = {}) => show(value, options.depth === null ? 100 : options.depth ?? 2, []);

export const format = (...values) => {
  const rest = [...values];
  let text = '';
  if (typeof rest[0] === 'string') {
    text = rest.shift().replace(/%([sdifjoOc%])/g, (all, d) => {
      if (d === '%') return rest.length > 0 || values.length > 1 ? '%' : all;
      if (rest.length === 0) return all;
      const v = rest.shift();
      switch (d) {
        case 's':
          if (typeof v === 'string') return v;
          if (typeof v === 'object' && v !== null) return inspect(v, { depth: 0 });
          return Object.is(v, -0) ? '-0' : typeof v === 'bigint' ? `${v}n` : String(v);
        case 'd': return typeof v === 'bigint' ? `${v}n` : String(Number(v));
        case 'i': return String(parseInt(v, 10));
        case 'f': return String(parseFloat(v));
        case 'j': return JSON.stringify(v);
        case 'c': return '';
        default: return inspect(v, { depth: 4 });
      }
    });
    if (rest.length > 0) text += ' ';
  }
  return text + rest.map((v) => (typeof v === 'string' ? v : inspect(v))).join(' ');
};

export const isDeepStrictEqual = (a, b) => equal(a, b);
export const promisify = (f) => (...args) => new Promise((resolve, reject) => {
  f(...args, (error, value) => (error ? reject(error) : resolve(value)));
});
export const callbackify = (f) => (...args) => {
  const done = args.pop();
  f(...args).then((value) => done(null, value), (error) => done(error ?? new Error('rejected')));
};
export const inherits = (constructor, parent) => {
  Object.setPrototypeOf(constructor.prototype, parent.prototype);
};
export const deprecate = (f) => f;
export const stripVTControlCharacters = (text) => text.replace(/[\u001b\u009b][[()#;?]*(?:\d{1,4}(?:;\d{0,4})*)?[\dA-ORZcf-nqry=><]/g, '');
export const toUSVString = (text) => String(text).toWellFormed();

export default {
  TextDecoder: Decoder, TextEncoder: Encoder, inspect, format, isDeepStrictEqual, promisify, callbackify, inherits, deprecate,
  stripVTControlCharacters, toUSVString, types,
};
