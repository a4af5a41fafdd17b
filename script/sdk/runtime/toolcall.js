// What stands between the sandbox and a custom tool. All of it is evaluated before the module of the tool, which is imported when
// a call comes, so what it takes from the globals is not yet the tool's. What it answers is {result} or {refused}: only
// this file can say the second, so no tool imitates a refusal.
const { Error, JSON, Object, Reflect, String, WeakMap } = globalThis;
const { stringify } = JSON;
const { create, freeze, hasOwn, keys } = Object;
const { apply } = Reflect;
const { debug, error, info, warn } = globalThis.console;
const { get: lookUp, set: keep } = WeakMap.prototype;
const slice = String.prototype.slice;
const cut = (text, most) => apply(slice, text, [0, most]);

// Errors of the engine itself cannot be made by hand.
if (globalThis.InternalError !== undefined) {
  delete globalThis.InternalError.prototype.constructor;
  delete globalThis.InternalError;
}

// refusals are the errors of this file, with what is told of them whatever the tool makes of the error.
const refusals = new WeakMap();
const refuse = (code, message) => {
  const e = new Error(message);
  e.code = code;
  apply(keep, refusals, [e, { __proto__: null, code, message, stack: typeof e.stack === 'string' ? e.stack : '' }]);
  return e;
};

const textOf = (value) => {
  try {
    if (typeof value === 'string') return value;
    return typeof value === 'object' && value !== null ? stringify(value) ?? 'undefined' : String(value);
  } catch {
    return 'a value that cannot be shown';
  }
};
const metaOf = (value) => {
  if (value === undefined) return '';
  try {
    const text = stringify(value);
    return text === undefined ? '' : text.length > 8192 ? ',{"omitted":"meta is too large"}' : `,${text}`;
  } catch {
    return ',{"omitted":"meta has no JSON form"}';
  }
};
const levels = { __proto__: null, debug, info, warn, error };
// A line of ctx.log is told from one of console by its first character.
const log = (level, message, meta) => {
  const write = typeof level === 'string' ? levels[level] ?? info : info;
  write(`\u0001${stringify(cut(textOf(message), 4096))}${metaOf(meta)}`);
};

const contextOf = (secrets) => {
  const ref = (name) => {
    if (typeof name === 'string' && hasOwn(secrets, name)) return secrets[name];
    throw refuse('secret_not_provisioned', `The secret ${stringify(cut(textOf(name), 100))} is not among those that this call was given.`);
  };
  return freeze({ secrets: freeze({ ref }), log });
};

const isObject = (value) => typeof value === 'object' && value !== null;
const actionOf = (actions, name) => {
  const action = isObject(actions) && hasOwn(actions, name) ? actions[name] : undefined;
  if (typeof action !== 'function') throw refuse('action_not_found', `The tool has no action ${stringify(cut(name, 100))}.`);
  return action;
};

export default async (input) => {
  delete globalThis.context; // the tool gets what it is called with, and no more
  const { args, action: name } = input;
  const secrets = create(null);
  for (const key in input.secrets) if (hasOwn(input.secrets, key)) secrets[key] = input.secrets[key];
  try {
    const { default: tool } = await import("script.ts");
    const actions = isObject(tool) ? tool.actions : undefined;
    if (name === '' && actionOf(actions, 'default')) return { __proto__: null, result: keys(actions) };
    const action = actionOf(actions, name);
    const result = await apply(action, actions, [args, contextOf(secrets)]);
    const kind = typeof result;
    if (kind === 'function' || kind === 'symbol') throw refuse('not_json', `the result is a ${kind}, which has no JSON form`);
    return { __proto__: null, result };
  } catch (e) {
    const refused = isObject(e) ? apply(lookUp, refusals, [e]) : undefined;
    if (refused === undefined) throw e;
    return { __proto__: null, refused };
  }
};
