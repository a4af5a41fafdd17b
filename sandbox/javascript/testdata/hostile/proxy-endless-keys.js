// outcome: timeout, failed, memory, result_not_json
export default () => new Proxy({}, { ownKeys: () => Array.from({ length: 1e7 }, (_, i) => "k" + i) })
