import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { healthKey, type ImportFormat, type ImportPreview } from "../api/health";
import { importChecks, previewImport } from "../api/healthcalls";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { SelectField, TextArea } from "../ui/Field";
import { useLeaveGuard } from "../ui/leaveguard";
import { ErrorNotice } from "../ui/Notice";
import { Page, Panel } from "../ui/Page";
import { useToast } from "../ui/Toast";
import { Trail, type Crumb } from "../ui/Trail";
import { count } from "./format";
import { Findings } from "./import/Findings";
import { Report } from "./import/Report";
import { Secrets } from "./import/Secrets";
import { rangeOf } from "./import/source";
import { choicesOf, Systems, type Chosen } from "./import/Systems";
import { useHealthPermission } from "./permission";

const trail: Crumb[] = [{ label: "Checks", link: { to: "/health/checks", search: {} } }];

/** As many bytes as the server reads. */
const most = 1 << 20;

const formats: Record<ImportFormat, string> = {
  countersign: "Countersign",
  gatus: "Gatus",
  "uptime-kuma": "Uptime Kuma",
  blackbox: "Blackbox exporter with Prometheus",
  checkly: "Checkly",
};

/** Imports checks from a document or a file of another product, after a preview of the effect. */
export function ImportPage() {
  const toast = useToast();
  const { known, manage } = useHealthPermission();
  const file = useRef<HTMLInputElement>(null);
  const text = useRef<HTMLTextAreaElement>(null);
  const [document, setDocument] = useState("");
  const [format, setFormat] = useState<ImportFormat | "">("");
  const [chosen, setChosen] = useState<Chosen>({});
  const [unread, setUnread] = useState<string>();
  // The last preview stays while the next one is made, for the keyboard's place.
  const [latest, setLatest] = useState<{ document: string; format: string; preview: ImportPreview }>();
  const preview = useMutation({
    mutationFn: previewImport,
    onSuccess: (made, about) => setLatest({ document: about.document, format: about.format, preview: made }),
  });
  const write = useWrite({
    send: importChecks,
    invalidates: [healthKey],
    onSuccess: ({ created, updated }) => toast(`${count(created, "check")} created, ${updated} updated`),
  });
  const done = write.data;
  const shown = latest?.document === document && latest.format === format ? latest.preview : undefined;
  const report = done ?? shown;
  const conversion = done ? undefined : shown?.conversion;
  const leaving = useLeaveGuard(() => document.trim() !== "" && !done);
  const edit = (typed: string) => {
    setDocument(typed);
    setChosen({});
    setUnread(undefined);
    write.reset();
  };
  const look = (systems: Chosen) => {
    write.reset();
    preview.mutate({ document, format, systems: choicesOf(systems) });
  };
  const read = async (files: FileList | null) => {
    const all = [...(files ?? [])];
    if (all.length === 0) return;
    if (all.reduce((sum, { size }) => sum + size, 0) > most) return setUnread("The file exceeds the limit of 1 MB.");
    edit((await Promise.all(all.map((one) => one.text()))).join("\n---\n"));
  };
  const showLine = (line: number) => {
    const area = text.current;
    if (!area) return;
    const [start, end] = rangeOf(document, line);
    area.focus();
    area.setSelectionRange(start, end);
    area.scrollTop = (area.scrollHeight / document.split("\n").length) * Math.max(0, line - 4);
  };
  if (known && !manage)
    return (
      <Page testId="import-page" title="Import checks" trail={<Trail crumbs={trail} here="Import" />}>
        <p className="text-muted-foreground">
          Your roles do not allow you to create checks. Ask an administrator for access.
        </p>
      </Page>
    );
  return (
    <Page
      description="Checks as exported, or a file of Gatus, Uptime Kuma, the blackbox exporter or Checkly."
      testId="import-page"
      title="Import checks"
      trail={<Trail crumbs={trail} here="Import" />}
    >
      <Panel title="Document">
        <form
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            look(chosen);
          }}
        >
          <TextArea
            className="font-mono"
            hint="Paste it, or choose files. Checks with a known name are updated, others are created."
            issue={unread}
            label="Document"
            onChange={(event) => edit(event.currentTarget.value)}
            placeholder={"version: 1\nchecks:\n  - name: Front page\n    …"}
            ref={text}
            rows={12}
            spellCheck={false}
            value={document}
          />
          <input
            accept=".yaml,.yml,.json,application/json,application/yaml,text/plain"
            aria-label="File with the document"
            className="hidden"
            data-testid="import-file"
            multiple
            onChange={(event) => void read(event.currentTarget.files)}
            ref={file}
            type="file"
          />
          <SelectField
            hint={shown && format === "" ? `Recognised: ${formats[shown.format]}` : undefined}
            label="Format"
            onChange={(event) => setFormat(event.currentTarget.value as ImportFormat | "")}
            value={format}
          >
            <option value="">Recognise it</option>
            {Object.entries(formats).map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
          <ErrorNotice error={preview.error} />
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={() => file.current?.click()}>Choose files</Button>
            <Button
              busy={preview.isPending}
              data-testid="preview-import"
              disabled={document.trim() === ""}
              type="submit"
              variant={report ? undefined : "primary"}
            >
              Preview import
            </Button>
          </div>
        </form>
      </Panel>
      {conversion && <Findings conversion={conversion} onLine={showLine} />}
      {conversion && <Secrets onCreated={() => look(chosen)} secrets={conversion.secrets} source={document} />}
      {shown && !done && shown.systems.length > 0 && (
        <Systems
          chosen={chosen}
          onChange={(next) => {
            setChosen(next);
            look(next);
          }}
          systems={shown.systems}
        />
      )}
      {report && (
        <Report
          actions={
            !done && (
              <Button
                busy={write.isPending || preview.isPending}
                data-testid="import-now"
                disabled={!report.valid || report.created + report.updated === 0}
                onClick={() =>
                  write.mutate({
                    document: conversion?.document ?? document,
                    expected: report.fingerprint,
                    systems: choicesOf(chosen),
                  })
                }
                variant="primary"
              >
                Import
              </Button>
            )
          }
          done={done !== undefined}
          report={report}
        >
          <ErrorNotice className="mb-3" error={write.error} />
        </Report>
      )}
      {leaving}
    </Page>
  );
}
