// outcome: failed
export default () => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy }
