// outcome: timeout
export default () => eval("for (;;);")
