// outcome: failed
export default () => new DataView(new ArrayBuffer(8)).getFloat64(2 ** 32)
