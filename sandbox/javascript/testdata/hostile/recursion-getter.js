// outcome: failed
const o = { get a() { return this.a } }
export default () => o.a
