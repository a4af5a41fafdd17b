// outcome: timeout
export default () => { Error.prepareStackTrace = () => { for (;;); }; throw new Error("x") }
