// outcome: ok
export default () => "\ud800"
