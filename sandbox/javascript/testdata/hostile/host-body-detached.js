// outcome: ok, failed
export default async () => { const b = new Uint8Array(8); b.buffer.transfer(); return (await fetch("https://a.example", { method: "POST", body: b })).status }
