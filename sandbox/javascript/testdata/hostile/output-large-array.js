// outcome: ok
console.log(new Uint8Array(1e6), Array(1e6).fill(1))
export default 1
