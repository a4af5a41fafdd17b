// outcome: ok
Object.defineProperty(Array.prototype, 0, { set() { throw new Error("poison") }, get() { return "poison" } })
export default () => 1
