// outcome: memory, timeout
export default () => { let a = [1]; for (;;) a = a.concat(a) }
