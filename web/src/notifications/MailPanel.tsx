import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { mailSchema, mailValues } from "../api/forms/notifications";
import { mailQuery, setMail, testMail, type MailSettings, type TestResult } from "../api/notifications";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { SelectField, TextField } from "../ui/Field";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { PageForm } from "../ui/PageForm";
import { useRecordForm } from "../ui/recordform";
import { useToast } from "../ui/Toast";

/** The mail server of the installation, with a test. */
export function MailPanel() {
  const { data: settings, error, refetch } = useQuery(mailQuery);
  const [saves, setSaves] = useState(0);
  return (
    <>
      <Panel title="Mail server">
        <ErrorNotice error={error} onRetry={() => void refetch()} />
        {!settings && !error && <SkeletonRows rows={3} />}
        {settings && <MailForm key={saves} onSaved={() => setSaves(saves + 1)} settings={settings} />}
      </Panel>
      {settings?.mail && <MailTest />}
    </>
  );
}

function MailForm({ settings, onSaved }: { settings: MailSettings; onSaved: () => void }) {
  const toast = useToast();
  const form = useRecordForm({
    tool: "notification.setMailServer",
    schema: mailSchema,
    item: settings,
    values: mailValues,
    send: (fields, began, key) => setMail(began ?? settings, fields, key),
    invalidates: [mailQuery.queryKey],
    onSaved: () => {
      toast("The mail server was saved");
      onSaved();
    },
  });
  return (
    <PageForm
      form={form}
      origin={settings.mail ? "Send a test after a change." : "No mail server yet: no e-mail is sent."}
      testId="save-mail"
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          autoComplete="off"
          label="Host"
          maxLength={253}
          required
          spellCheck={false}
          {...form.field("host")}
        />
        <TextField autoComplete="off" inputMode="numeric" label="Port" required {...form.field("port")} />
        <SelectField label="Encryption" {...form.field("security")}>
          <option value="starttls">STARTTLS</option>
          <option value="tls">TLS</option>
          <option value="none">None, in the clear</option>
        </SelectField>
        <TextField autoComplete="off" label="Sender" maxLength={254} required type="email" {...form.field("from")} />
        <TextField
          autoComplete="off"
          label="User name"
          maxLength={300}
          spellCheck={false}
          {...form.field("username")}
        />
        <TextField
          autoComplete="new-password"
          hint={settings.mail?.hasPassword ? "Leave empty to keep it for the same server and user." : undefined}
          label="Password"
          maxLength={1000}
          type="password"
          {...form.field("password")}
        />
      </div>
    </PageForm>
  );
}

function MailTest() {
  const test = useWrite<void, TestResult>({ send: testMail });
  return (
    <Panel title="Test of the mail server">
      <div className="flex flex-wrap items-center gap-3">
        <Button busy={test.isPending} data-testid="test-mail" onClick={() => test.mutate()}>
          Send a test to me
        </Button>
        <p aria-live="polite" className="text-sm" data-testid="mail-result">
          {test.data &&
            (test.data.result === "sent" ? "The server has accepted it. Look at your mailbox." : test.data.reason)}
        </p>
      </div>
      <ErrorNotice className="mt-2" error={test.error} />
    </Panel>
  );
}
