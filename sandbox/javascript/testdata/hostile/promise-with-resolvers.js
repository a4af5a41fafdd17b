// outcome: stalled
const { promise, resolve } = Promise.withResolvers()
export default () => promise
