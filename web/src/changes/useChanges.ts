import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { loaded } from "../api/reach";

const load = () => loaded(() => import("./follow"));

/** Reads again what pages show as soon as it changes anywhere. */
export function useChanges(person: string | undefined): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!person || typeof EventSource === "undefined") return;
    let gone = false;
    let leave = () => {};
    void load().then(({ follow }) => {
      if (!gone) leave = follow(client, person);
    });
    return () => {
      gone = true;
      leave();
    };
  }, [client, person]);
}
