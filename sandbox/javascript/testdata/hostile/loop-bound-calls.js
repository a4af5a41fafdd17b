// outcome: timeout
const f = (() => 1).bind(null).bind(null); export default () => { for (;;) f() }
