import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { CheckDefinition } from "../../api/health";
import { validateCheck } from "../../api/healthcalls";
import { issuesOf, noIssues } from "../form/issues";

const pause = 500;

/**
 * Server-side validation of a definition. It starts with the first attempt to save or to run, and then follows each
 * pause in typing (debounce).
 */
export function useValidation(definition: CheckDefinition) {
  const [begun, setBegun] = useState(false);
  const [asked, setAsked] = useState(definition);
  useEffect(() => {
    if (!begun) return;
    const timer = setTimeout(() => setAsked(definition), pause);
    return () => clearTimeout(timer);
  }, [begun, definition]);
  const { data } = useQuery({
    queryKey: ["check-validation", asked],
    queryFn: () => validateCheck(asked),
    enabled: begun,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return {
    begun,
    issues: begun ? issuesOf(data?.errors) : noIssues,
    begin: () => {
      setAsked(definition);
      setBegun(true);
    },
  };
}
