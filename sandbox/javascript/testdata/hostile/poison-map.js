// outcome: ok
Map.prototype.get = Map.prototype.set = Map.prototype.delete = WeakMap.prototype.get = null
export default () => 1
