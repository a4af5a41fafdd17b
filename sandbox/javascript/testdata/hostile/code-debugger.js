// outcome: ok
debugger
export default 1
