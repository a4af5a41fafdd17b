// outcome: timeout, failed, ok, memory
export default () => /^(?:a{0,1000}){0,1000}$/.test("a".repeat(5000) + "b")
