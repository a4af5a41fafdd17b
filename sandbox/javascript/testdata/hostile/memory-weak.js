// outcome: memory, timeout
const a = []; export default () => { for (;;) a.push(new WeakRef({ x: new Uint8Array(1000) })) }
