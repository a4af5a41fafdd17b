// outcome: timeout
export default () => { throw new Proxy({}, { ownKeys() { for (;;); } }) }
