// outcome: timeout
export default () => { const b = new Float64Array(1e6).map(() => Math.random()); for (;;) b.slice().sort() }
