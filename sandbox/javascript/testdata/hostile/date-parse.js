// outcome: ok
export default () => Date.parse("9".repeat(1e5)) || 0
