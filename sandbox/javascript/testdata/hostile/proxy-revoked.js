// outcome: failed, result_not_json
export default () => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy }
