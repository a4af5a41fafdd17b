// outcome: host_calls
export default () => { for (;;) fetch("https://a.example").catch(() => {}) }
