// outcome: memory
export default () => JSON.parse("[" + "[],".repeat(5e6) + "1]")
