// outcome: timeout
export default () => setTimeout(() => {}, { valueOf() { for (;;); } })
