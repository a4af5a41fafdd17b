// outcome: host_calls
export default async () => { for (;;) try { await fetch("https://a.example") } catch {} }
