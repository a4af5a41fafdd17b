// outcome: host_calls
export default async () => { for (;;) { const c = new AbortController(); const p = fetch("https://a.example", { signal: c.signal }).catch(() => {}); c.abort(); await p } }
