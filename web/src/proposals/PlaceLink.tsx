import { Link } from "@tanstack/react-router";
import { recordOf, type Place } from "./places";

interface PlaceLinkProps {
  place: Place;
  testId: string;
}

/** Links to the record that a change targets or has created. */
export function PlaceLink({ place, testId }: PlaceLinkProps) {
  const record = recordOf(place);
  if (!record) return null;
  return (
    <Link
      {...record.link(place)}
      className="underline underline-offset-2 wrap-anywhere"
      data-testid={testId}
      title={place.name}
    >
      Open the {record.noun}
    </Link>
  );
}
