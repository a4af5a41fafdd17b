// outcome: result_not_json
export default () => ({ get a() { throw new Error("x") } })
