// outcome: timeout
const t = { then(r) { r(t) } }
export default () => t
