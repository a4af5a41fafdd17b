// outcome: host_calls
export default async () => { for (;;) await fetch("https://a.example") }
