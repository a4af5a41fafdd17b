// outcome: ok
Object.defineProperty(globalThis, "context", { value: "mine" }); Object.freeze(globalThis)
export default (i) => [i, context]
