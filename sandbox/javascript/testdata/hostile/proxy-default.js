// outcome: ok, failed
export default new Proxy(() => 1, { apply: () => "applied" })
