// structuredClone, without transfer of more than array buffers.
const uncloneable = (value) => new DOMException(`${inspect(value)} could not be cloned`, 'DataCloneError');
const clone = (value, seen) => {
  if (typeof value === 'function' || typeof value === 'symbol') throw uncloneable(value);
  if (typeof value !== 'object' || value === null) return value;
  if (seen.has(value)) return seen.get(value);
  const keep = (copy) => {
    seen.set(value, copy);
    return copy;
  };
  switch (sliceOf(toStringOf(value), 8, -1)) {
    case 'Boolean': case 'Number': case 'String': case 'BigInt':
      return keep(Object(value.valueOf()));
    case 'Date':
      return keep(new Date(+value));
    case 'RegExp':
      return keep(new RegExp(value.source, value.flags));
    case 'ArrayBuffer':
      return keep(value.slice(0));
    case 'Map': {
      const copy = keep(new Map());
      for (const [k, v] of [...value]) copy.set(clone(k, seen), clone(v, seen));
      return copy;
    }
    case 'Set': {
      const copy = keep(new Set());
      for (const v of [...value]) copy.add(clone(v, seen));
      return copy;
    }
    case 'Error': {
      const known = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
      const copy = keep(Object.create((known[value.name] ?? Error).prototype));
      for (const key of ['message', 'stack', 'cause']) {
        if (Object.hasOwn(value, key)) defineProperty(copy, key, { value: clone(value[key], seen), writable: true, configurable: true });
      }
      return copy;
    }
    case 'Promise': case 'WeakMap': case 'WeakSet': case 'WeakRef': case 'Generator': case 'GeneratorFunction':
      throw uncloneable(value);
    default:
  }
  if (ArrayBuffer.isView(value)) {
    const buffer = clone(value.buffer, seen);
    return keep(new globalThis[value[Symbol.toStringTag] ?? 'DataView'](buffer, value.byteOffset, value.length ?? value.byteLength));
  }
  if (hidden.has(value)) throw uncloneable(value);
  const copy = keep(Array.isArray(value) ? new Array(value.length) : {});
  for (const key of Object.keys(value)) {
    defineProperty(copy, key, { value: clone(value[key], seen), writable: true, enumerable: true, configurable: true });
  }
  return copy;
};
expose('structuredClone', function structuredClone(value, { transfer = [] } = {}) {
  const seen = new Map();
  for (const buffer of transfer) {
    if (!(buffer instanceof ArrayBuffer)) throw uncloneable(buffer);
    seen.set(buffer, buffer.transfer());
  }
  return clone(value, seen);
});
