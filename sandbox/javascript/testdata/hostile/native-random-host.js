// outcome: timeout
export default () => { const b = new Uint8Array(65536); for (;;) crypto.getRandomValues(b) }
