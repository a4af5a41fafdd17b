// querystring: texts like a=1&b=2.
export const escape = (text) => encodeURIComponent(text);
export const unescape = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
const primitive = (value) =>
  ['string', 'boolean', 'bigint'].includes(typeof value) || Number.isFinite(value) ? String(value) : '';

export const stringify = (object, separator = '&', equals = '=') => {
  if (typeof object !== 'object' || object === null) return '';
  const parts = [];
  for (const key of Object.keys(object)) {
    const values = Array.isArray(object[key]) ? object[key] : [object[key]];
    for (const value of values) parts.push(`${escape(key)}${equals}${escape(primitive(value))}`);
  }
  return parts.join(separator);
};

export const parse = (text, separator = '&', equals = '=') => {
  const found = { __proto__: null };
  if (typeof text !== 'string' || text === '') return found;
  for (const part of text.split(separator).slice(0, 1000)) {
    if (part === '') continue;
    const at = part.indexOf(equals);
    const read = (raw) => unescape(raw.replace(/\+/g, ' '));
    const key = read(at < 0 ? part : part.slice(0, at));
    const value = at < 0 ? '' : read(part.slice(at + equals.length));
    if (found[key] === undefined) found[key] = value;
    else if (Array.isArray(found[key])) found[key].push(value);
    else found[key] = [found[key], value];
  }
  return found;
};
export { parse as decode, stringify as encode };

export default { escape, unescape, stringify, parse, encode: stringify, decode: parse };
