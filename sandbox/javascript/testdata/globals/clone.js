export default () => {
  const wrong = [];
  const same = (name, got, want) => { if (JSON.stringify(got) !== JSON.stringify(want)) wrong.push({ name, got, want }); };
  const fails = (name, f, want) => { let got = 'nothing'; try { f(); } catch (e) { got = e.name; } same(name, got, want); };
  const from = { n: 1, s: 'x', u: undefined, d: new Date(5), r: /a/gi, m: new Map([[{ k: 1 }, new Set([1])]]), a: [1, , 3], b: 7n, bytes: new Uint8Array([1, 2, 3]).subarray(1), nul: null, nan: NaN, boxed: Object(1) };
  from.self = from;
  const to = structuredClone(from);
  same('plain', [to.n, to.s, 'u' in to, to.d.getTime(), String(to.r), to.b === 7n, [...to.bytes], to.nul, Number.isNaN(to.nan)], [1, 'x', true, 5, '/a/gi', true, [2, 3], null, true]);
  same('identity', [to !== from, to.self === to, to.d !== from.d, to.m.get([...to.m.keys()][0]).has(1), 1 in to.a, to.a.length, typeof to.boxed], [true, true, true, true, false, 3, 'object']);
  const shared = new ArrayBuffer(8);
  const views = structuredClone([new Uint8Array(shared), new DataView(shared, 2, 4)]);
  same('views', [views[0].buffer === views[1].buffer, views[1].byteOffset, views[1].byteLength], [true, 2, 4]);
  const e = structuredClone(Object.assign(new RangeError('x', { cause: { a: 1 } }), { extra: 1 }));
  same('errors', [e instanceof RangeError, e.message, e.cause.a, e.extra], [true, 'x', 1, undefined]);
  class Point { x = 1; get y() { return 2; } }
  const p = structuredClone(new Point());
  same('classes', [p instanceof Point, p.x, p.y], [false, 1, undefined]);
  same('proto', Object.getPrototypeOf(structuredClone(JSON.parse('{"__proto__":{"a":1}}'))) === Object.prototype, true);
  fails('function', () => structuredClone(() => 1), 'DataCloneError');
  fails('symbol', () => structuredClone({ a: Symbol('x') }), 'DataCloneError');
  fails('promise', () => structuredClone(Promise.resolve()), 'DataCloneError');
  fails('weak', () => structuredClone(new WeakMap()), 'DataCloneError');
  const moved = new ArrayBuffer(4);
  same('transfer', [structuredClone(moved, { transfer: [moved] }).byteLength, moved.byteLength], [4, 0]);
  return wrong;
};
