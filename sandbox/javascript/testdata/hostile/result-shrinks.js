// outcome: ok
export default () => { let n = 0; return { toJSON: () => ++n } }
