// outcome: timeout
export default () => { do { var x = 1 } while (x) }
