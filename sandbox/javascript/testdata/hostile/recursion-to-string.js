// outcome: failed
const o = { toString() { return `${this}` } }
export default () => `${o}`
