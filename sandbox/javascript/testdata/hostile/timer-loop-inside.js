// outcome: timeout
export default () => new Promise((r) => setTimeout(() => { for (;;); }, 1))
