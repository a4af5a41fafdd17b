// outcome: timeout
export default () => Array.prototype.lastIndexOf.call(new Proxy({ length: 2 ** 53 - 1 }, {}), 5)
