// outcome: import_refused
import ""
export default 1
