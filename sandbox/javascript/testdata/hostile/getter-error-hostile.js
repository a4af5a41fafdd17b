// outcome: failed
export default () => { const e = new Error("x"); for (const k of ["name", "message", "stack"]) Object.defineProperty(e, k, { get() { throw 1 } }); throw e }
