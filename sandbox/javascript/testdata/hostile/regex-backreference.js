// outcome: timeout
export default () => /^(a*)*\1$/.test("a".repeat(40) + "b")
