// outcome: import_refused, failed
import data from "./x.json" with { type: "json" }
export default data
