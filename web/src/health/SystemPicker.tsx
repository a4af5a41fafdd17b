import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { systemQuery, systemSearchQuery } from "../api/catalog";
import { Combobox } from "../ui/Combobox";

/** Debounce of the search while typing, in ms. */
const typing = 200;

interface SystemPickerProps {
  label: string;
  hint?: ReactNode;
  issue?: string;
  name?: string;
  required?: boolean;
  /** The id of the system, "" for none. */
  value: string;
  onChange: (id: string) => void;
}

/** Picks one of all systems; the server searches the typed text. */
export function SystemPicker({ value, onChange, ...rest }: SystemPickerProps) {
  const [typed, setTyped] = useState("");
  const [wanted, setWanted] = useState("");
  useEffect(() => {
    const timer = window.setTimeout(() => setWanted(typed.trim()), typing);
    return () => window.clearTimeout(timer);
  }, [typed]);
  const { data: chosen } = useQuery({ ...systemQuery(value), enabled: value !== "" });
  // The chosen name is typed text too; then all are offered for another choice.
  const text = wanted === chosen?.name ? "" : wanted;
  const { data: found } = useQuery({ ...systemSearchQuery(text), placeholderData: keepPreviousData });
  return (
    <Combobox
      {...rest}
      chosen={value === "" ? null : { value, label: chosen?.id === value ? chosen.name : "…" }}
      onChoose={(option) => onChange(option?.value ?? "")}
      onSearch={setTyped}
      options={found?.map(({ id, name }) => ({ value: id, label: name }))}
      placeholder="Search systems"
    />
  );
}
