// outcome: ok, failed
export default () => new TextDecoder().decode(new Uint8Array(new SharedArrayBuffer(4)))
