// outcome: import_refused
export default () => import("node:child_process")
