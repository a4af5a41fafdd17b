// outcome: memory
export default () => { const a = []; for (;;) a.push(new Uint8Array(1 << 20)) }
