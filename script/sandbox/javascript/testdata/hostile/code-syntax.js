// outcome: failed
export default {{
