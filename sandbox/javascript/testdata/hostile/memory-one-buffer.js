// outcome: failed, memory
export default () => new ArrayBuffer(2 ** 40)
