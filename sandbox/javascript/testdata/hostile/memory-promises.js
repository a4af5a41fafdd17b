// outcome: memory, timeout
export default async () => { const a = []; for (;;) a.push(new Promise(() => {})) }
