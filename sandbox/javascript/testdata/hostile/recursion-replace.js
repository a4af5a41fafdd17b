// outcome: failed
const f = () => "a".replace(/a/, f)
export default f
