import { useEffect, useRef, useState } from "react";
import { Icon } from "./Icon";

const typingPauseMilliseconds = 200;

interface SearchFieldProps {
  label: string;
  placeholder: string;
  /** Search text, usually from the address. */
  value: string;
  /** Receives the typed text, once typing pauses (debounce). */
  onSearch: (text: string) => void;
  maxLength?: number;
  testId?: string;
}

/** The search of a list. The key / goes to it. */
export function SearchField({ label, placeholder, value, onSearch, maxLength = 400, testId }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const told = useRef(value);
  const tell = useRef(onSearch);
  useEffect(() => {
    tell.current = onSearch;
  });
  // The browser went back, or the filters were cleared.
  useEffect(() => {
    if (value === told.current) return;
    told.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    const search = text.trim();
    if (search === told.current) return;
    const timer = window.setTimeout(() => {
      told.current = search;
      tell.current(search);
    }, typingPauseMilliseconds);
    return () => window.clearTimeout(timer);
  }, [text]);
  return (
    <label className="relative block min-w-56 flex-1 sm:max-w-md">
      <span className="sr-only">{label}</span>
      <Icon className="absolute top-2.5 left-3 text-muted-foreground" name="search" size={16} />
      <input
        className="w-full rounded-lg border border-input bg-card py-2 pr-3 pl-9 text-sm"
        data-testid={testId}
        maxLength={maxLength}
        onChange={(event) => setText(event.currentTarget.value)}
        placeholder={placeholder}
        type="search"
        value={text}
      />
    </label>
  );
}
