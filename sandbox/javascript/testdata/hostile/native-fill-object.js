// outcome: timeout, memory
export default () => Array.prototype.fill.call({ length: 2 ** 53 - 1 }, 1)
