// outcome: ok, timeout
export default () => /(?<=^(a+)+)b/.test("a".repeat(40) + "c")
