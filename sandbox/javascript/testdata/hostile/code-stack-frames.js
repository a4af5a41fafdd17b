// outcome: ok
export default () => { Error.prepareStackTrace = (e, s) => s; const s = new Error("x").stack; return Array.isArray(s) && s.every((f) => typeof f.getThis?.() !== "function") }
