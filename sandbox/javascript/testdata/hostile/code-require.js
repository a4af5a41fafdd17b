// outcome: failed
export default () => require("fs")
