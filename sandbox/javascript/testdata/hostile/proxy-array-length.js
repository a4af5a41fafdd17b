// outcome: timeout, failed, memory, result_not_json
export default () => new Proxy([], { get: (t, k) => (k === "length" ? 2 ** 32 : k === "toJSON" || k === "then" ? undefined : 1) })
