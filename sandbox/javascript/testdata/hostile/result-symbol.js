// outcome: result_not_json
export default Symbol("x")
