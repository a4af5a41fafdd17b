// outcome: failed
const f = (...a) => f.apply(null, [...a, 1])
export default () => f()
