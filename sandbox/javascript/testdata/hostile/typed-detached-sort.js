// outcome: ok, failed
export default () => { const v = new Uint8Array(100); v.sort(() => { try { v.buffer.transfer() } catch {} return 0 }); return v.length }
