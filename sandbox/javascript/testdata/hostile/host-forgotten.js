// outcome: ok
fetch("https://a.example").catch(() => {})
export default () => 1
