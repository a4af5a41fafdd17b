// outcome: failed
function* g() { yield* g() }
export default () => [...g()]
