import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { nounOf, type Place } from "./places";

interface PlaceLinkProps {
  place: Place;
  testId: string;
}

/** Links to the record that a change targets or has created. */
export function PlaceLink({ place, testId }: PlaceLinkProps) {
  const shared = {
    className: "underline underline-offset-2 wrap-anywhere",
    "data-testid": testId,
    children: `Open the ${nounOf(place)}` as ReactNode,
    title: place.name,
  };
  const { kind, id } = place;
  switch (kind) {
    case "system":
      return <Link params={{ systemId: id }} to="/catalog/systems/$systemId" {...shared} />;
    case "team":
      return <Link params={{ teamId: id }} to="/catalog/teams/$teamId" {...shared} />;
    case "check":
      return <Link params={{ checkId: id }} to="/health/checks/$checkId" {...shared} />;
    case "agent":
      return <Link params={{ agentId: id }} to="/agents/$agentId" {...shared} />;
    case "group":
      return <Link params={{ groupId: id }} to="/catalog/groups/$groupId" {...shared} />;
    case "environment":
      return <Link params={{ environmentId: id }} to="/catalog/environments/$environmentId" {...shared} />;
    case "memory":
      return <Link search={{}} to="/memory" {...shared} />;
    case "policy":
      return <Link to="/admin/policies" {...shared} />;
    case "user":
      return <Link search={{ search: place.name }} to="/admin/users" {...shared} />;
    case "role":
      return <Link to="/admin/roles" {...shared} />;
  }
}
