// outcome: ok, failed
for (const k of ["name", "message", "stack", "kind", "url", "method", "id"]) Object.defineProperty(Object.prototype, k, { set() { throw 1 }, configurable: true })
export default () => 1
