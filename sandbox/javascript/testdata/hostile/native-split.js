// outcome: timeout
export default () => { const s = "a,".repeat(1e5); for (;;) s.split(",") }
