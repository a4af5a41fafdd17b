// outcome: failed, memory
export default () => { const e = new InternalError("out of memory"); throw e }
