// outcome: timeout
export default () => +{ valueOf() { for (;;); } }
