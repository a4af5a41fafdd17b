// outcome: failed, stalled
export default () => { let p; p = Promise.resolve().then(() => p); return p }
