// outcome: ok
export default () => ({ then(a, b) { a(1); a(2); b(3); throw 4 } })
