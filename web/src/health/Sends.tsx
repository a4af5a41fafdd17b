import type { Destinations } from "./destinations";

/** Destinations of a request, and the secrets it sends. */
export function Sends({ where, secrets }: Destinations) {
  return (
    <p className="text-sm text-muted-foreground wrap-anywhere" data-testid="sends">
      {where.length > 0 ? (
        <>
          It goes to <code className="font-mono text-xs text-foreground">{where.join(", ")}</code>
        </>
      ) : (
        "It names no address"
      )}
      {secrets.length > 0 ? (
        <>
          {" "}
          with {secrets.length === 1 ? "the secret" : "the secrets"}{" "}
          <code className="font-mono text-xs text-foreground">{secrets.join(", ")}</code>.
        </>
      ) : where.length > 0 ? (
        ", without any secret of the vault."
      ) : (
        "."
      )}
    </p>
  );
}
