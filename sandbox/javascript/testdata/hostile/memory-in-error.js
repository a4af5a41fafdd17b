// outcome: failed, memory
export default () => { throw { get message() { const a = []; for (;;) a.push(new Uint8Array(1 << 20)) } } }
