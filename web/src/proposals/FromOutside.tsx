import type { Proposal } from "../api/proposals";
import { OutsideList } from "../chat/OutsideNotice";

/** Says what the chat held that its person had not written when some changes were proposed: it may be why they were. */
export function FromOutside({ proposals }: { proposals: Proposal[] }) {
  const held = new Map(proposals.flatMap(({ outside = [] }) => outside.map((content) => [content.seq, content])));
  if (held.size === 0) return null;
  return (
    <div className="flex flex-col gap-1 text-sm text-muted-foreground" data-testid="proposal-outside">
      <p>Before this proposal, the chat contained content its user did not write:</p>
      <OutsideList outside={[...held.values()].toSorted((a, b) => b.seq - a.seq)} />
    </div>
  );
}
