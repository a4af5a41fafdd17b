// outcome: ok, failed
export default () => { const b = new ArrayBuffer(64, { maxByteLength: 64 }), v = new Uint8Array(b); v.constructor = { [Symbol.species]: function () { b.resize(1); return new Uint8Array(64) } }; return v.slice().length }
