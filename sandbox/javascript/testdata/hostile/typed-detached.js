// outcome: ok
export default () => { const b = new ArrayBuffer(8), v = new Uint8Array(b); b.transfer(); return [v.length, v[0] ?? null] }
