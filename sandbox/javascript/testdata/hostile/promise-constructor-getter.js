// outcome: failed, timeout, ok
export default () => { const p = Promise.resolve(1); Object.defineProperty(p, "constructor", { get() { throw new Error("x") } }); return p }
