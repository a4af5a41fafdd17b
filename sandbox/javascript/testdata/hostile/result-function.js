// outcome: result_not_json
export default () => () => 1
