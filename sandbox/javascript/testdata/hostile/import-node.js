// outcome: import_refused
import fs from "node:fs"
export default fs
