const words: Record<string, string> = {
  refused: "connection refused",
  timedOut: "timed out",
  nameNotFound: "name not found",
  unreachable: "unreachable",
  broken: "connection lost",
  badCertificate: "bad certificate",
  badProtocol: "unexpected protocol",
  notAdmitted: "not admitted",
  wrongAnswer: "wrong answer",
  assertionFailed: "assertion failed",
  silent: "no heartbeat",
  egressRefused: "address not allowed",
  secretMissing: "secret missing",
  templateFailed: "template failed",
  notRunnable: "cannot run",
  hostFailed: "Countersign failure",
  overloaded: "overloaded",
};

/** Why a run did not pass, in two words; "" when it did. */
export function causeWords(cause: string | undefined): string {
  if (!cause || cause === "none") return "";
  const known = words[cause.replaceAll(/[-_ ]([a-z])/g, (_, letter: string) => letter.toUpperCase())];
  return (
    known ??
    cause
      .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
      .replaceAll(/[-_]/g, " ")
      .toLowerCase()
  );
}

/** The cause of a run in words; of one that passed on a retry, that of its first try. */
export function runWords({ verdict, cause }: { verdict: string; cause: string }): string {
  const why = causeWords(cause);
  return verdict === "passed" && why ? `on a retry, after: ${why}` : why;
}
