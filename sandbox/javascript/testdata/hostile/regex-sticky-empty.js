// outcome: timeout
export default () => { const r = /(?:)/g; for (;;) r.exec("aaa") }
