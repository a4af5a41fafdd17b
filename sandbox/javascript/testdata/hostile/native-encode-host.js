// outcome: timeout
export default () => { const s = "ä".repeat(1e6), e = new TextEncoder(); for (;;) e.encode(s) }
