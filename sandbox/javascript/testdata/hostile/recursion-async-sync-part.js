// outcome: failed
const f = async () => await f()
export default () => f()
