// outcome: memory, timeout
let a = []; export default () => { for (;;) { const b = a; a = [() => b, new Array(1000)] } }
