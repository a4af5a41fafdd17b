// outcome: ok, failed
export default () => import({ toString() { throw new Error("x") } }).catch((e) => e.message)
