// outcome: timeout
export default () => "a".repeat(40).concat("!").split(/(a*)*b/)
