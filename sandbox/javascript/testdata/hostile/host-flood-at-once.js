// outcome: host_calls
export default () => Promise.all(Array.from({ length: 1000 }, () => fetch("https://a.example")))
