// outcome: timeout
export default () => /^(a|a)*$/.test("a".repeat(50) + "b")
