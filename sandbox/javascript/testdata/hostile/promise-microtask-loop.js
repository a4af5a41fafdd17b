// outcome: timeout
export default async () => { for (;;) await null }
