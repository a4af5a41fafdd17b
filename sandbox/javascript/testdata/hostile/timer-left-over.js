// outcome: ok
setInterval(() => console.log("x"), 1)
export default () => 1
