// outcome: failed, ok
export default () => { const v = new Uint8Array(8); v.buffer.transfer(); crypto.getRandomValues(v); return 1 }
