// outcome: failed, result_not_json, timeout, memory
export default { toJSON() { return { a: { toJSON: this.toJSON } } } }
