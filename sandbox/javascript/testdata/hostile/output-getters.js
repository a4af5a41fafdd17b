// outcome: ok
console.log({ get a() { throw new Error("x") } }, new Proxy({}, { ownKeys() { throw 1 } }))
export default 1
