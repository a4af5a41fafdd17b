// outcome: ok
for (let i = 0; i < 2e4; i++) console.log("xxxxxxxxxxxxxxxxxxxxxxxx")
export default 1
