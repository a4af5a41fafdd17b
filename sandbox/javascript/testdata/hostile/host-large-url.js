// outcome: failed
export default () => fetch("https://a.example/" + "x".repeat(1e5))
