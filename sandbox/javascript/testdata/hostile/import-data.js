// outcome: import_refused
import "data:text/javascript,1"
export default 1
