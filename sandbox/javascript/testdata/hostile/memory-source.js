// outcome: memory, timeout, failed
export default () => { let s = "1"; for (;;) { eval(s); s += "+" + s } }
