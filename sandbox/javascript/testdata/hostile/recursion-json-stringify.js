// outcome: failed, result_not_json
export default () => { let a = []; for (let i = 0; i < 2e4; i++) a = [a]; return a }
