// outcome: failed
export default () => ({ then() { throw new Error("x") } })
