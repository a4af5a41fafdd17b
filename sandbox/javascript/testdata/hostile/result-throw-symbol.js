// outcome: failed
export default () => { throw Symbol("x") }
