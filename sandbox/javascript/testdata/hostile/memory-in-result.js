// outcome: memory
export default { toJSON() { const a = []; for (;;) a.push(new Uint8Array(1 << 20)) } }
