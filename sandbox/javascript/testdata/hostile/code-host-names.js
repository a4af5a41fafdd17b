// outcome: ok
export default () => ["host", "process", "std", "os", "scriptArgs", "require", "module", "gc", "load", "print"].filter((n) => { try { return (0, eval)("typeof " + n) !== "undefined" } catch { return true } })
