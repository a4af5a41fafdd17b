// outcome: ok
export default () => [..."\u{10ffff}\u0000"].length
