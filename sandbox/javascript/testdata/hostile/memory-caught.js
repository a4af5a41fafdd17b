// outcome: ok
export default () => { const a = []; try { for (;;) a.push(new Uint8Array(1 << 20)) } catch (e) { a.length = 0; return e.message } }
