// outcome: ok
export default () => undefined
