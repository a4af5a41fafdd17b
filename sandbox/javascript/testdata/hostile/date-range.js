// outcome: failed
export default () => new Date(8.64e15 + 1).toISOString()
