// outcome: timeout, memory, failed
export default () => { const x = new Array(1e9); return x.join("") }
