// outcome: result_too_large
export default () => Array(6e5).fill(1)
