// outcome: memory, failed
export default () => "x".repeat(2 ** 30).length
