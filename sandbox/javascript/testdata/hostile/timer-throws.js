// outcome: stalled
export default () => new Promise((r) => setTimeout(() => { throw new Error("x") }, 1))
