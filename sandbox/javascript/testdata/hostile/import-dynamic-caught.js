// outcome: ok
export default () => import("node:fs").catch(() => "caught")
