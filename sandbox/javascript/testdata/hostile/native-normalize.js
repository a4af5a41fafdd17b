// outcome: timeout
export default () => { const s = "\u0041\u030a".repeat(1e4); for (;;) s.normalize("NFC") }
