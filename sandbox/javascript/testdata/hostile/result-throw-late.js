// outcome: failed
export default async () => { await new Promise((r) => setTimeout(r, 1)); throw new TypeError("late") }
