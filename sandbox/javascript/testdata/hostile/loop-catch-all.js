// outcome: timeout
const f = () => { try { for (;;); } catch { f() } finally { f() } }
export default f
