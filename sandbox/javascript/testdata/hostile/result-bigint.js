// outcome: result_not_json
export default () => ({ n: 1n })
