// outcome: ok
Object.defineProperty(Object.prototype, "status", { get: () => 500, set() {} })
export default async () => (await fetch("https://a.example")).status
