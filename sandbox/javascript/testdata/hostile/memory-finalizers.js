// outcome: timeout, memory
const r = new FinalizationRegistry(() => { for (;;); }); export default async () => { for (;;) { r.register({}, 1); await null } }
