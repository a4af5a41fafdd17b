// outcome: failed
export default () => fetch("file:///etc/passwd")
