// outcome: host_calls
export default () => fetch("https://a.example", { method: "POST", body: new Uint8Array(9e6) })
