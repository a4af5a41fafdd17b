// outcome: failed
const f = () => eval("f()") + 1
export default () => f()
