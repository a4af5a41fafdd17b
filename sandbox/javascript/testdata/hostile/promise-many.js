// outcome: ok
export default async () => (await Promise.all(Array.from({ length: 1e4 }, async (_, i) => i))).length
