// outcome: memory, timeout
const a = []; export default () => { const b = new Uint8Array(1e6); for (;;) a.push(structuredClone(b)) }
