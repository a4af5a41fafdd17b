// outcome: timeout, memory, failed
const f = async () => { await null; return await f() }
export default f
