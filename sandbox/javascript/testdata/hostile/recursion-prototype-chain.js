// outcome: failed, ok, timeout
let o = {}; for (let i = 0; i < 1e5; i++) o = Object.create(o)
export default () => o.missing
