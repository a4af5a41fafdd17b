// outcome: failed, stalled
export default async () => { let a, b; a = Promise.resolve().then(() => b); b = Promise.resolve().then(() => a); await a }
