import { Autocomplete as Base } from "@base-ui/react/autocomplete";
import { useId } from "react";
import { usePeople } from "../api/findpeople";
import type { User } from "../api/people";
import { control, Frame } from "../ui/Field";
import { OptionList } from "../ui/OptionList";

interface PersonFieldProps {
  label: string;
  /** The address as far as it is typed, or a part of a name. */
  text: string;
  onText: (text: string) => void;
  issue?: string;
  /** Ids of people not to offer. */
  without: readonly string[];
}

interface Colleague {
  /** The address, which is what the field holds then. */
  value: string;
  label: string;
  detail: string;
}

const mostShown = 50;

/** The address of a colleague, searchable by name for readers of all addresses. */
export default function PersonField({ label, text, onText, issue, without }: PersonFieldProps) {
  const id = useId();
  const { people, onType, looking, error } = usePeople();
  const hint = error ? "User search failed. Type the full address." : "Search by part of a name or address.";
  return (
    <Frame hint={hint} id={id} issue={issue} label={label}>
      <Base.Root
        autoHighlight
        filter={(one: Colleague) => isCalled(one, text)}
        itemToStringValue={(one: Colleague) => one.value}
        items={colleagues(people, without)}
        limit={mostShown}
        onValueChange={(typed, { reason }) => {
          onText(typed);
          onType(reason === "input-change" ? typed : "");
        }}
        value={text}
      >
        <Base.Input
          aria-describedby={`${id}-hint`}
          aria-invalid={issue ? true : undefined}
          // The open list hides the label from those who do not see it.
          aria-label={label}
          autoComplete="off"
          className={control}
          data-testid="share-email"
          id={id}
          inputMode="email"
          maxLength={254}
          required
        />
        {people && text.trim() !== "" && (
          <OptionList none={looking ? "Searching…" : "No matching users. Type the full address."} />
        )}
      </Base.Root>
    </Frame>
  );
}

/** People who can be chosen: those who can sign in. */
function colleagues(people: readonly User[] | undefined, without: readonly string[]): Colleague[] {
  return (people ?? [])
    .filter(({ id, status }) => status !== "disabled" && !without.includes(id))
    .map(({ name, email }) => ({ value: email, label: name, detail: email }));
}

/** Whether a text matches a person. The domain of an address would match everybody. */
export function isCalled({ label, value }: Pick<Colleague, "label" | "value">, text: string): boolean {
  const known = `${label} ${text.includes("@") ? value : value.slice(0, value.lastIndexOf("@"))}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => known.includes(word));
}
