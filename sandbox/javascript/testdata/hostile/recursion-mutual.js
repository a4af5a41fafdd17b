// outcome: failed
const f = () => g() + 1, g = () => f() + 1
export default f
