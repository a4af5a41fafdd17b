// outcome: ok
console.log("%s %d %j %o %% %z", {}, "x", [1], {}, 5)
export default 1
