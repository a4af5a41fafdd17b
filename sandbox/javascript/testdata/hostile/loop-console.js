// outcome: timeout
console.log({ get x() { for (;;); } })
export default 1
