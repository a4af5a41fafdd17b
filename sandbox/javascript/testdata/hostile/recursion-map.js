// outcome: failed
const f = () => [1].map(f)
export default f
