// outcome: failed, memory
export default () => "x".padStart(2 ** 31)
