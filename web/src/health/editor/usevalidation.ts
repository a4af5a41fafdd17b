import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { validateCheck, type CheckDefinition } from "../../api/health";
import { issuesOf, noIssues } from "../form/issues";

const pause = 500;

/** What the server finds wrong with a definition. It is asked once somebody tries to save or to run it, and from then on after each pause in typing. */
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
