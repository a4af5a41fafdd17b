// outcome: timeout
export default () => { for (const x of (function* () { for (;;) yield 1 })()); }
