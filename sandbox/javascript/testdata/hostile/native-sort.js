// outcome: timeout
export default () => { const x = Array.from({ length: 1e5 }, (_, i) => i); for (;;) x.sort(() => Math.random() - 0.5) }
