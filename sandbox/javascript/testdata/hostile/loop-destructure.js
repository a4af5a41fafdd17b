// outcome: timeout, memory
export default () => { const [...all] = { *[Symbol.iterator]() { for (;;) yield 0 } } }
