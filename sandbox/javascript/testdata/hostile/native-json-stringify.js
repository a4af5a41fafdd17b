// outcome: timeout
export default () => { const x = Array(1e5).fill({ a: 1 }); for (;;) JSON.stringify(x) }
