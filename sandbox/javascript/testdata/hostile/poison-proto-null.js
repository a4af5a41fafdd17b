// outcome: ok
Object.setPrototypeOf(Object.prototype, null); Object.setPrototypeOf(globalThis, null)
export default () => 1
