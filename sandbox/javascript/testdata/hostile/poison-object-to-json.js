// outcome: ok
Object.prototype.toJSON = () => "forged"
export default () => ({ real: true })
