// outcome: failed
export default () => { const e = new Error("x"); e.name = { toString: () => "N".repeat(1e6) }; e.message = [1, 2]; e.stack = 5; throw e }
