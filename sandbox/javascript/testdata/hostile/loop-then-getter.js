// outcome: timeout
export default () => ({ get then() { for (;;); } })
