// outcome: failed
export default () => fetch("https://a.example", { headers: { a: "b\r\nHost: evil" } })
