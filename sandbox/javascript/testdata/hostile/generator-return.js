// outcome: ok
export default () => { function* g() { try { yield 1 } finally { yield 2 } } const i = g(); i.next(); return i.return(5).value }
