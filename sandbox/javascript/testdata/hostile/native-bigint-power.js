// outcome: timeout, failed, memory
export default () => { for (let n = 3n; ;) n = n ** 3n }
