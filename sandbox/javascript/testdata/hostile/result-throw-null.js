// outcome: failed
export default () => { throw null }
