// outcome: failed
const p = new Proxy({}, { get: (t, k, r) => r[k] })
export default () => p.x
