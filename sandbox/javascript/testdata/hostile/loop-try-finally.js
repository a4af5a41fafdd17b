// outcome: timeout
export default () => { for (;;) { try { throw 1 } finally { continue } } }
