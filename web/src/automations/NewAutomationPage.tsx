import { useNavigate } from "@tanstack/react-router";
import { Page } from "../ui/Page";
import { useToast } from "../ui/Toast";
import { Trail, type Crumb } from "../ui/Trail";
import { DefinitionForm } from "./DefinitionForm";
import { starter } from "./starter";

const trail: Crumb[] = [{ label: "Automations", link: { to: "/automations", search: {} } }];

/** Writes a new automation. */
export function NewAutomationPage() {
  const navigate = useNavigate();
  const toast = useToast();
  return (
    <Page
      description="It is enabled once it is saved."
      testId="new-automation-page"
      title="New automation"
      trail={<Trail crumbs={trail} here="New automation" />}
    >
      <DefinitionForm
        onSaved={({ id }) => {
          toast("Automation created");
          void navigate({ to: "/automations/$automationId", params: { automationId: id } });
        }}
        origin="A definition with issues is not saved."
        starter={starter}
      />
    </Page>
  );
}
