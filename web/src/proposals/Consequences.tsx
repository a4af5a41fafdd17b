import type { Proposal } from "../api/proposals";
import { effectWords } from "./fieldlabels";

/** Consequences of a change; danger-coloured where something is removed. */
export function Consequences({ proposal }: { proposal: Proposal }) {
  const { effect, effects, whyEffect } = proposal;
  const others = effects ?? [];
  if (!whyEffect && others.length === 0) return null;
  const tone = effect === "destructive" ? "rounded-lg bg-danger-soft px-3 py-2 text-danger" : "";
  return (
    <div className={`flex flex-col gap-1 text-sm ${tone}`} data-testid="proposal-consequences">
      {whyEffect && <p className="font-medium wrap-anywhere">{effectWords(whyEffect, proposal.toolName)}</p>}
      {others.length > 0 && (
        <>
          <p className="font-medium">What else happens</p>
          <ul className="list-disc pl-5" data-testid="proposal-effects">
            {others.map((text) => (
              <li className="wrap-anywhere" key={text}>
                {text}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
