// outcome: import_refused, failed
await import("x".repeat(1e5))
export default 1
