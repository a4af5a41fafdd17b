// outcome: failed
export default () => { throw new Proxy(new Error("x"), { get() { throw 1 } }) }
