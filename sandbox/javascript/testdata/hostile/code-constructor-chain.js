// outcome: ok
export default () => console.log.constructor("return typeof host + typeof process")()
