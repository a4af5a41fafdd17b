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
const describe = (e) => {
  try {
    if (e instanceof NotJSON) return stringify({ kind: 'result_not_json', message: bounded(e.message) });
    if (isError(e) || e instanceof DOMException) {
      return stringify({ name: bounded(textOf(e.name)), message: bounded(textOf(e.message)), stack: typeof e.stack === 'string' ? bounded(e.stack) : '' });
    }
    return stringify({ name: 'Error', message: bounded(inspect(e)), thrown: e === null ? 'null' : typeof e });
  } catch {
    return '{"name":"Error","message":"an error that cannot be shown"}';
  }
};

return { begin, drive, describe, next, fire, settle };
