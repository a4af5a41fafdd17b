// outcome: ok, failed
Object.setPrototypeOf(globalThis, new Proxy({}, { get: () => "x", has: () => true }))
export default () => 1
