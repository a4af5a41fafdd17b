// outcome: ok, stalled, failed
export function then(resolve) { resolve({ default: "forged" }) }
export default 1
