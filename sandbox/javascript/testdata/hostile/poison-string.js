// outcome: ok
String = null
export default () => 1
