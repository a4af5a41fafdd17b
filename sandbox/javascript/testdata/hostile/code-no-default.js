// outcome: failed
export const a = 1
