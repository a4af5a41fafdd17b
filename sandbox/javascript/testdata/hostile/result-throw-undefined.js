// outcome: failed
export default () => { throw undefined }
