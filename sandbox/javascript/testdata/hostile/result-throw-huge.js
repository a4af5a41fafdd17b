// outcome: failed
export default () => { throw new Error("x".repeat(5e6)) }
