// outcome: timeout
export default () => Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 5)
