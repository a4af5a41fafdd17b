// outcome: result_not_json, ok
export default () => new Date(NaN)
