// outcome: ok
console.log("y".repeat(5e6))
export default 1
