// outcome: import_refused
import "../../../etc/passwd"
export default 1
