// outcome: ok
for (const k of Object.getOwnPropertyNames(globalThis)) { const v = globalThis[k]; if (typeof v === "function") { Object.freeze(v); if (v.prototype) Object.freeze(v.prototype) } }
export default () => 1
