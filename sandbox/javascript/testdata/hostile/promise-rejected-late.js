// outcome: ok
Promise.reject(new Error("nobody cares"))
export default async () => { Promise.reject(1); await null; return 1 }
