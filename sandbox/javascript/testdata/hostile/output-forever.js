// outcome: timeout
for (;;) console.log("x")
export default 1
