// outcome: stalled
export function then() {}
export default 1
