// outcome: ok
export default async () => (await fetch({ toString: () => "https://a.example" })).status
