// outcome: ok
export default () => new Promise((r) => { setTimeout(r, Infinity); setTimeout(() => r(1), 1) })
