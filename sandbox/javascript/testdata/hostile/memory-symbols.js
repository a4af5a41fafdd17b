// outcome: memory, timeout
const a = []; export default () => { for (let i = 0; ; i++) a.push(Symbol.for("s" + i)) }
