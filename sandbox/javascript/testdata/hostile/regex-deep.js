// outcome: failed
export default () => new RegExp("(".repeat(100000) + ")".repeat(100000)).test("x")
