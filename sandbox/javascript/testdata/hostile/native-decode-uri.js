// outcome: timeout
export default () => { const s = "%41".repeat(1e5); for (;;) decodeURIComponent(s) }
