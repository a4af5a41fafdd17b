// outcome: timeout, memory
export default async () => { for (let i = 0; ; i++) try { await import("m" + i) } catch {} }
