// outcome: ok, failed
export default () => new RegExp("(a)?".repeat(300)).exec("a")?.length
