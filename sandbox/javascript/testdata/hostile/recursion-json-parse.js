// outcome: failed
export default () => JSON.parse("[".repeat(200000) + "]".repeat(200000))
