// outcome: result_not_json
export default () => ({ toJSON: () => undefined })
