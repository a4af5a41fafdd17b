// outcome: ok
const a = []; a.push(a, new Map([[a, a]]), new Set([a])); console.log(a)
export default 1
