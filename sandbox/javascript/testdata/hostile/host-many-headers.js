// outcome: failed
export default () => fetch("https://a.example/", { headers: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => ["h" + i, "v".repeat(20)])) })
