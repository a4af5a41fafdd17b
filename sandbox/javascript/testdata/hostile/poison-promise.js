// outcome: ok
globalThis.Promise = class {}; Object.defineProperty(Promise, Symbol.species, { value: null })
export default () => 1
