import { buttonShape, iconButtonShape } from "./Button";
import { Icon } from "./Icon";
import { LocalLink } from "./LocalLink";

interface AskAboutProps {
  /** Its kind, in lower case: "system". */
  noun: string;
  name: string;
  /** Subject in words that the assistant can find it by; without it, the noun and the name. */
  about?: string;
  /** Shows a picture alone, as in a row of a list. */
  small?: boolean;
}

/** Opens a new chat with a question about a thing in the message box, unsent and after any typed text. */
export function AskAbout({ noun, name, about = `the ${noun} “${name}”`, small }: AskAboutProps) {
  const href = `/chat?prompt=${encodeURIComponent(`Tell me about ${about}.`)}`;
  if (!small) {
    return (
      <LocalLink className={`${buttonShape} border-input bg-card hover:bg-muted`} data-testid="ask-about" href={href}>
        <Icon name="chat" size={16} />
        Ask about this
      </LocalLink>
    );
  }
  return (
    <LocalLink
      aria-label={`Ask about ${name}`}
      className={iconButtonShape}
      data-hint={`Ask about ${name}`}
      data-testid="ask-about"
      href={href}
    >
      <Icon name="chat" size={17} />
    </LocalLink>
  );
}
