// What the other files of the prelude share. All of them are one strict function of `host`, which has the host
// functions; it is called before any script runs. Intrinsics are taken here, so that a script that replaces them changes
// only what it sees itself.
const {
  Array, ArrayBuffer, BigInt, DOMException, DataView, Date, Error, EvalError, Function, InternalError, JSON, Map, Math,
  Number, Object, Promise, RangeError, ReferenceError, RegExp, Set, String, Symbol, SyntaxError, TypeError, URIError,
  Uint8Array, WeakMap, encodeURIComponent, parseFloat, parseInt, performance,
} = globalThis;
const { parse, stringify } = JSON;
const { isError } = Error;
const { defineProperty, getPrototypeOf, setPrototypeOf } = Object;
const { floor, max, min } = Math;
const { now: clock } = Date;
const monotonic = performance.now.bind(performance);
const bind = Function.prototype.bind.bind(Function.prototype.call);
const textOf = String;
const sliceOf = bind(String.prototype.slice);
const wellFormed = bind(String.prototype.toWellFormed);
const toStringOf = bind(Object.prototype.toString);
const bytesOf = (data) => {
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return new Uint8Array(data);
};

const expose = (name, value) => defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
const tag = (constructor, name) => defineProperty(constructor.prototype, Symbol.toStringTag, { value: name, configurable: true });
const hidden = new WeakMap(); // the state of objects that are only of the prelude's classes
const stateOf = (object, constructor) => {
  const state = hidden.get(object);
  if (state === undefined || state.of !== constructor) throw new TypeError('Illegal invocation');
  return state;
};

// Math.random is not the engine's: its state is part of the snapshot and would be the same in each run.
let s0 = 0;
let s1 = 0;
let s2 = 0;
let s3 = 1;
const draw = () => {
  const t = (s0 + s1 + s3) | 0;
  s3 = (s3 + 1) | 0;
  s0 = s1 ^ (s1 >>> 9);
  s1 = (s2 + (s2 << 3)) | 0;
  s2 = ((s2 << 21) | (s2 >>> 11)) + t | 0;
  return t >>> 0;
};
defineProperty(Math, 'random', {
  value: function random() {
    return ((draw() >>> 5) * 67108864 + (draw() >>> 6)) / 9007199254740992;
  },
  writable: true,
  configurable: true,
});

let began = 0;
class Performance {
  now() {
    return monotonic() - began;
  }
  get timeOrigin() {
    return clock() - this.now();
  }
}
tag(Performance, 'Performance');
expose('performance', new Performance());
