// outcome: failed
Error.prepareStackTrace = () => ({ not: "text" })
export default () => { throw new Error("x") }
