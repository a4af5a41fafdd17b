// outcome: memory
export default () => { let s = "x"; for (;;) s += s }
