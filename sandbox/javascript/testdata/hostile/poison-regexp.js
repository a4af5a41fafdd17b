// outcome: ok
RegExp.prototype.exec = RegExp.prototype.test = null; RegExp.prototype[Symbol.replace] = null
export default () => 1
