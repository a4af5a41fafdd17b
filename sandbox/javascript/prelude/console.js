// console writes lines. Values are shown as Node.js shows them, less pretty.
const quote = (text) => (text.includes("'") ? stringify(text) : `'${sliceOf(stringify(text), 1, -1).replaceAll('\\"', '"')}'`);
const mostEntries = 100;
const deepest = 4;
const mostErrors = 3;

const headOf = (e) => `${textOf(e.name)}${e.message ? `: ${textOf(e.message)}` : ''}`;
// within answers what an error is about: its cause, and the first errors that an AggregateError collects.
const within = (e) => {
  const found = [];
  if (Object.hasOwn(e, 'cause') && e.cause !== undefined) found.push(['cause', e.cause]);
  if (Object.hasOwn(e, 'errors') && Array.isArray(e.errors)) {
    for (let i = 0; i < min(e.errors.length, mostErrors); i++) found.push(['error', e.errors[i]]);
  }
  return found;
};
const errorText = (e, seen) => {
  const stack = typeof e.stack === 'string' ? e.stack.trimEnd() : '';
  const text = stack ? `${headOf(e)}\n${stack}` : headOf(e);
  if (seen.length >= deepest) return text;
  return text + within(e).map(([label, about]) => `\n[${label}]: ${inspect(about, [...seen, e])}`).join('');
};

const list = (items, open, close) => (items.length === 0 ? open + close : `${open} ${items.join(', ')} ${close}`);

const inspectEntries = (value, seen) => {
  const items = [];
  const add = (text) => items.push(text) <= mostEntries;
  const isArray = Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
  if (isArray) {
    for (let i = 0; i < min(value.length, mostEntries); i++) items.push(inspect(value[i], seen));
    if (value.length > mostEntries) items.push(`... ${value.length - mostEntries} more`);
    return Array.isArray(value) ? list(items, '[', ']') : `${value.constructor.name}(${value.length}) ${list(items, '[', ']')}`;
  }
  if (value instanceof Map) {
    for (const [k, v] of value) if (!add(`${inspect(k, seen)} => ${inspect(v, seen)}`)) break;
    return `Map(${value.size}) ${list(items, '{', '}')}`;
  }
  if (value instanceof Set) {
    for (const v of value) if (!add(inspect(v, seen))) break;
    return `Set(${value.size}) ${list(items, '{', '}')}`;
  }
  for (const key of Object.keys(value)) {
    const name = /^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key);
    if (!add(`${name}: ${inspect(value[key], seen)}`)) break;
  }
  const name = getPrototypeOf(value)?.constructor?.name;
  const prefix = name === undefined ? '[Object: null prototype] ' : name === 'Object' ? '' : `${name} `;
  return prefix + list(items, '{', '}');
};

const inspect = (value, seen = []) => {
  switch (typeof value) {
    case 'string':
      return seen.length === 0 ? value : quote(value);
    case 'bigint':
      return `${value}n`;
    case 'symbol':
      return textOf(value);
    case 'function': {
      const kind = /^class\b/.test(Function.prototype.toString.call(value)) ? 'class' : 'Function';
      return `[${kind}${value.name ? `: ${value.name}` : ' (anonymous)'}]`;
    }
    case 'object':
      break;
    default:
      return Object.is(value, -0) ? '-0' : textOf(value);
  }
  if (value === null) return 'null';
  if (seen.includes(value)) return '[Circular]';
  try {
    if (value instanceof Error || value instanceof DOMException) return errorText(value, seen);
    if (value instanceof Date) return Number.isNaN(+value) ? 'Invalid Date' : value.toISOString();
    if (value instanceof RegExp || value instanceof URL) return textOf(value);
    if (value instanceof Promise) return 'Promise {}';
    if (value instanceof ArrayBuffer) return `ArrayBuffer { byteLength: ${value.byteLength} }`;
    if (seen.length >= deepest) return Array.isArray(value) ? '[Array]' : '[Object]';
    return inspectEntries(value, [...seen, value]);
  } catch {
    return '[object]';
  }
};

const directives = {
  s: (v) => inspect(v), d: (v) => textOf(Number(v)), i: (v) => textOf(parseInt(v, 10)), f: (v) => textOf(parseFloat(v)),
  j: (v) => stringify(v), o: (v) => inspect(v, [null]), O: (v) => inspect(v, [null]), c: () => '',
};
const format = (values) => {
  const rest = [...values];
  let text = '';
  if (rest.length > 1 && typeof rest[0] === 'string' && rest[0].includes('%')) {
    text = rest.shift().replace(/%([sdifjoOc%])/g, (all, d) => (d === '%' ? '%' : rest.length > 0 ? directives[d](rest.shift()) : all));
    if (rest.length > 0) text += ' ';
  }
  return text + rest.map((v) => inspect(v)).join(' ');
};

const write = (level) => ({
  [level](...values) { host.log(level === 'log' || level === 'trace' ? 'info' : level, format(values)); },
})[level];
const console = {};
for (const level of ['debug', 'log', 'info', 'warn', 'error', 'trace']) console[level] = write(level);
console.assert = function assert(ok, ...values) {
  if (!ok) console.error('Assertion failed', ...values);
};
console.dir = function dir(value) {
  console.log(value);
};
expose('console', console);
const report = (e) => host.log('error', `Uncaught ${inspect(e)}`);
const rejected = (e) => host.log('error', `Unhandled rejection: ${inspect(e)}`);
