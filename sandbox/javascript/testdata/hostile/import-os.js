// outcome: import_refused
import * as os from "qjs:os"
export default os
