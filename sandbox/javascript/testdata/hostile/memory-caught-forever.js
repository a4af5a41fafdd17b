// outcome: timeout, memory
export default () => { const a = []; for (;;) try { for (;;) a.push(new Uint8Array(1 << 20)) } catch {} }
