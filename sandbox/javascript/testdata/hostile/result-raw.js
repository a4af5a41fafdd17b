// outcome: ok, failed
export default () => (JSON.rawJSON ? JSON.rawJSON("1") : 1)
