// outcome: timeout
export default () => new Promise((r) => setTimeout(r, 2 ** 31))
