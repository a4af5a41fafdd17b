// outcome: failed
Error.prototype.toString = null; Object.defineProperty(Error.prototype, "message", { get() { return "forged" } }); Error.isError = null
export default () => { throw new Error("x") }
