import { TextArea } from "../ui/Field";

interface DecisionReasonProps {
  value: string;
  onChange: (reason: string) => void;
}

/** Optional reason for deciding about another user's change. */
export function DecisionReason({ value, onChange }: DecisionReasonProps) {
  return (
    <TextArea
      data-testid="decision-reason"
      label="Reason (optional)"
      maxLength={500}
      onChange={(event) => onChange(event.target.value)}
      rows={1}
      value={value}
    />
  );
}
