// outcome: ok, failed, stalled
Object.prototype.then = function (resolve) { resolve("forged") }
export default () => ({})
