// outcome: import_refused, ok, failed
import * as self from "script.js"
export default () => Object.keys(self)
