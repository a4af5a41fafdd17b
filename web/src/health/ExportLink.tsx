import { exportUrl } from "../api/healthcalls";
import { buttonShape } from "../ui/Button";
import { Icon } from "../ui/Icon";

/** Downloads a check, or all that the reader sees, as a document. */
export function ExportLink({ checkId }: { checkId?: string }) {
  return (
    <a
      className={`${buttonShape} border-input bg-card hover:bg-muted`}
      data-testid="export-checks"
      download
      href={exportUrl("yaml", checkId)}
    >
      <Icon name="down" size={16} />
      Export
    </a>
  );
}
