// outcome: memory, timeout
const a = []; export default () => { for (;;) a.push(new Error("x".repeat(1000))) }
