// outcome: timeout
export default () => { const b = new Uint8Array(16 << 20), c = b.slice(); for (;;) b.set(c) }
