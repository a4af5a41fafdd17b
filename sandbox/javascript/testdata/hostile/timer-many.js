// outcome: ok
export default () => Promise.all(Array.from({ length: 2000 }, () => new Promise((r) => setTimeout(r, 1)))).then((a) => a.length)
