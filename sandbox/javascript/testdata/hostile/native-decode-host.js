// outcome: timeout
export default () => { const b = new Uint8Array(4e6).fill(255), d = new TextDecoder(); for (;;) d.decode(b) }
