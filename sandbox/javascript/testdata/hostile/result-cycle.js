// outcome: result_not_json
export default () => { const a = {}; a.a = a; return a }
