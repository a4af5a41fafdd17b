import { decodeNamedCharacterReference } from "decode-named-character-reference";
import { decodeNumericCharacterReference } from "micromark-util-decode-numeric-character-reference";

const reference = /&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z][a-z\d]{1,31}));/gi;

/** Replaces named characters in a text, such as &amp; and &#233;. Unknown names stay. */
export function withoutReferences(text: string): string {
  return text.replace(reference, (whole, hex: string, decimal: string, name: string) => {
    if (hex) return decodeNumericCharacterReference(hex, 16);
    if (decimal) return decodeNumericCharacterReference(decimal, 10);
    return decodeNamedCharacterReference(name) || whole;
  });
}
