// outcome: failed, memory, timeout
export default () => { const b = new ArrayBuffer(1, { maxByteLength: 2 ** 31 }); for (let n = 1; ; n *= 2) b.resize(n) }
