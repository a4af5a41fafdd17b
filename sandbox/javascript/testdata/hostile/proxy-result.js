// outcome: ok
export default () => new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }), get: (_, k) => k === "toJSON" || k === "then" ? undefined : 7 })
