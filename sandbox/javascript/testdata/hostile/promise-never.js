// outcome: stalled
export default () => new Promise(() => {})
