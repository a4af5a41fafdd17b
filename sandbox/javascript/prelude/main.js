// What the host calls. encode's own errors are told apart from the script's by their class, which no script can reach.
class NotJSON extends Error {}
const noForm = (value) => new NotJSON(`the result is a ${typeof value}, which has no JSON form`);
const isMemory = (e) => typeof e === 'object' && e !== null && e.name === 'InternalError';
const encode = (value) => {
  if (value === undefined) return 'null';
  let json;
  try {
    json = stringify(value);
  } catch (e) {
    throw isMemory(e) ? e : new NotJSON(`the result has no JSON form: ${textOf(e?.message ?? e)}`);
  }
  if (json === undefined) throw noForm(value);
  return json;
};

let input;
const begin = (json, seed) => {
  began = monotonic();
  [s0, s1, s2, s3] = parse(seed);
  input = parse(json);
  expose('context', input);
};

const drive = async (loading) => {
  const module = await loading;
  if (!('default' in module)) throw new TypeError('the script has no default export');
  const main = module.default;
  if (typeof main === 'function') return encode(await main(input));
  if (typeof main === 'object' && main !== null && typeof main.run === 'function') return encode(await main.run(input));
  return encode(await main);
};

const bounded = (text) => sliceOf(wellFormed(text), 0, 8192);
// causes answers the first few errors below an error, the nearest first, each as a line.
const isFault = (e) => isError(e) || e instanceof DOMException;
const causes = (e) => {
  const found = [];
  const seen = [e];
  for (let i = 0; i < seen.length && found.length < mostErrors; i++) {
    if (!isFault(seen[i])) continue;
    for (const [label, about] of within(seen[i])) {
      if (found.length === mostErrors) break;
      if (seen.includes(about)) continue;
      seen.push(about);
      found.push(`${label}: ${sliceOf(wellFormed(isFault(about) ? headOf(about) : inspect(about)), 0, 500)}`);
    }
  }
  return found;
};
// codeOf answers the code that an error has of its own, which its script has chosen.
const codeOf = (e) => {
  try {
    const code = Object.hasOwn(e, 'code') ? e.code : undefined;
    return typeof code === 'string' || typeof code === 'number' ? sliceOf(wellFormed(textOf(code)), 0, 200) : '';
  } catch {
    return '';
  }
};
const ofEngine = InternalError.prototype;
// What is told of an error inherits nothing: a toJSON that the script has given to all objects would be asked at each level, without end.
const describe = (e) => {
  try {
    if (e instanceof NotJSON) return stringify({ __proto__: null, kind: 'result_not_json', message: bounded(e.message) });
    if (isFault(e)) {
      const told = {
        __proto__: null, name: bounded(textOf(e.name)), message: bounded(textOf(e.message)),
        stack: typeof e.stack === 'string' ? bounded(e.stack) : '',
      };
      told.code = codeOf(e);
      told.engine = getPrototypeOf(e) === ofEngine;
      try {
        told.causes = setPrototypeOf(causes(e), null);
      } catch { /* the error itself can be shown */ }
      return stringify(told);
    }
    const code = typeof e === 'object' && e !== null ? codeOf(e) : '';
    return stringify({ __proto__: null, name: 'Error', message: bounded(inspect(e)), code, thrown: e === null ? 'null' : typeof e });
  } catch {
    return '{"name":"Error","message":"an error that cannot be shown"}';
  }
};

return { begin, drive, describe, next, fire, settle, rejected };
