// outcome: ok
Array.prototype.push = Array.prototype.map = Array.prototype.join = null; Array.prototype[Symbol.iterator] = null
export default () => 1
