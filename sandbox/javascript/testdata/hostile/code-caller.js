// outcome: failed, ok
export default () => { function f() { return f.caller } return typeof f() }
