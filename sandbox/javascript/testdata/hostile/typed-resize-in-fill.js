// outcome: ok, failed
export default () => { const b = new ArrayBuffer(64, { maxByteLength: 128 }), v = new Uint8Array(b); v.fill({ valueOf() { b.resize(0); return 1 } }); return v.length }
