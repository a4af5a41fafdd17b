// outcome: timeout
export default () => new Function("for (;;);")()
