import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { ToolCheck, ToolFields } from "../../api/agents";
import { checkTool, type ToolPlace } from "../../api/agentcalls";

/** Debounce: pause in typing before a check, in milliseconds. */
const pause = 400;

export interface LiveCheck {
  /** The last answer with the source that it is about; undefined until there is one. */
  answer: (ToolCheck & { source: string }) | undefined;
  /** The answer is about what stands in the editor now. */
  fresh: boolean;
  busy: boolean;
  error: Error | null;
}

/**
 * Checks a tool on the server while it is typed (debounced). A newer check aborts the one before, whose answer is
 * dropped. No check runs while fields is null.
 */
export function useCheck(place: ToolPlace, fields: ToolFields | null): LiveCheck {
  const asked = useSettled(fields, pause);
  const { data, error, isFetching, isPlaceholderData } = useQuery({
    queryKey: ["tool-check", place, asked],
    queryFn: async ({ signal }) => {
      const { source } = asked as ToolFields;
      return { ...(await checkTool(place, asked as ToolFields, signal)), source };
    },
    enabled: asked !== null,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const current = asked !== null && JSON.stringify(asked) === JSON.stringify(fields);
  return {
    answer: data,
    fresh: current && data !== undefined && !isPlaceholderData && !isFetching,
    busy: isFetching || !current,
    error: current ? error : null,
  };
}

/** A value once it has stayed the same for a while. */
function useSettled<Value>(value: Value, milliseconds: number): Value {
  const [settled, setSettled] = useState(value);
  const key = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(key) as Value), milliseconds);
    return () => clearTimeout(timer);
  }, [key, milliseconds]);
  return settled;
}
