// outcome: memory, failed
export default () => new Array(1e9).fill(0).length
