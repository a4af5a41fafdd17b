// outcome: timeout
export default () => /^(a+)+$/.test("a".repeat(40) + "b")
