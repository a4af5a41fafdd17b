// Writes the types of an OpenAPI document, read from standard input, or with --check compares them with the file.
import { readFile, writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import openapiTS, { astToString } from "openapi-typescript";

const file = new URL("../../web/src/api/schema.d.ts", import.meta.url);
const header = "// Made of the OpenAPI document of the product by `make generate`. Do not edit.\n\n";

const document = JSON.parse(await text(process.stdin));
// A default is what the server takes for a member that is left out, so no default makes a member required.
const types = header + astToString(await openapiTS(document, { defaultNonNullable: false, silent: true }));
if (process.argv[2] !== "--check") {
  await writeFile(file, types);
} else if (types !== (await readFile(file, "utf8").catch(() => ""))) {
  console.error("web/src/api/schema.d.ts is not what the API says: run make generate");
  process.exitCode = 1;
}
