// outcome: failed
export default () => Promise.any([Promise.reject(1), Promise.reject(2)])
