// outcome: memory, timeout
const a = []; export default () => { for (let i = 0; ; i++) a.push(new RegExp("x" + i)) }
