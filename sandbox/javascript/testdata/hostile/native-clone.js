// outcome: timeout
export default () => { const x = Array.from({ length: 1e4 }, (_, i) => ({ i })); for (;;) structuredClone(x) }
