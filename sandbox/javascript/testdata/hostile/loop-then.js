// outcome: timeout
export default () => ({ then() { for (;;); } })
