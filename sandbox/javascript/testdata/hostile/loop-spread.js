// outcome: timeout, memory
export default () => [...(function* () { for (;;) yield 1 })()]
