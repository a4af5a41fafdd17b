// outcome: failed, ok
export default () => { const v = new Uint8Array(8); v.buffer.transfer(); return new TextDecoder().decode(v) }
