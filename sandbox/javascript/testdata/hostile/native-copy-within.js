// outcome: timeout
export default () => { const b = new Uint8Array(32 << 20); for (;;) b.copyWithin(0, 1) }
