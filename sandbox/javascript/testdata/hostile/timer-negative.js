// outcome: ok
export default () => new Promise((r) => setTimeout(() => r(1), -5))
