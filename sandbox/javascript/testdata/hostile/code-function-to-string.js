// outcome: ok
export default () => fetch.toString().length > 0
