// outcome: memory, failed, timeout
export default () => { let n = 2n ** 1000n; const a = []; for (;;) a.push(n = n * n) }
