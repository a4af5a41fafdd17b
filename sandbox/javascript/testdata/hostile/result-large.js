// outcome: result_too_large
export default () => "z".repeat(2e6)
