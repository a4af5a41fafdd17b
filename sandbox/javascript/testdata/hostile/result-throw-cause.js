// outcome: failed
export default () => { const e = new Error("x"); e.cause = e; throw e }
