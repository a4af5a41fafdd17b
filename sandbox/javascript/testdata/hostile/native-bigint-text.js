// outcome: timeout
export default () => { const b = 2n ** 200000n; for (;;) (b * b).toString() }
