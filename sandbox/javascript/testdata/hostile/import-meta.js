// outcome: ok
export default () => [typeof import.meta, import.meta.url ?? null, import.meta.main ?? null]
