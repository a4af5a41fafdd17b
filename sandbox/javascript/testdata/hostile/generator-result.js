// outcome: ok
export default () => (function* () { yield 1 })()
