// outcome: import_refused
import "https://a.example/x.js"
export default 1
