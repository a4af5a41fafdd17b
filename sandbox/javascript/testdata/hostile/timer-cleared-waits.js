// outcome: stalled
export default () => new Promise((r) => clearTimeout(setTimeout(r, 1)))
