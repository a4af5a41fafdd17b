// outcome: timeout
export default () => `${{ [Symbol.toPrimitive]() { for (;;); } }}`
