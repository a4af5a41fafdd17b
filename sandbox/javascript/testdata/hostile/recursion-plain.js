// outcome: failed
const f = () => f() + 1
export default f
