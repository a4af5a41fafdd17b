// outcome: stalled
await new Promise(() => {})
export default 1
