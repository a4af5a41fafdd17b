import { TextArea } from "../ui/Field";

interface DecisionReasonProps {
  value: string;
  onChange: (reason: string) => void;
}

/** Where whoever decides about somebody else's change says why, if they like. */
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
