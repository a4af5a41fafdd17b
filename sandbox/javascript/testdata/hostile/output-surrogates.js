// outcome: ok
console.log("\ud800\udfff\udc00", "\u0000")
export default 1
