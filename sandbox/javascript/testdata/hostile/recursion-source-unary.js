// outcome: failed, ok
export default () => eval("!".repeat(1e5) + "1")
