// outcome: timeout
export default () => { out: for (;;) { for (;;) continue out } }
