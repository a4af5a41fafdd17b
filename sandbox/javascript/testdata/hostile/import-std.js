// outcome: import_refused
import * as std from "std"
export default std
