import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useRef, useState, type ReactNode } from "react";
import { healthKey, importChecks, previewImport, type ImportedCheck, type ImportReport } from "../api/health";
import { useWrite } from "../api/write";
import { Badge, type Tone } from "../ui/Badge";
import { Button } from "../ui/Button";
import { Trail, type Crumb } from "../ui/Trail";
import { TextArea } from "../ui/Field";
import { useLeaveGuard } from "../ui/leaveguard";
import { ErrorNotice } from "../ui/Notice";
import { Page, Panel } from "../ui/Page";
import { useToast } from "../ui/Toast";
import { count } from "./format";
import { useHealthPermission } from "./permission";

const trail: Crumb[] = [{ label: "Checks", link: { to: "/health/checks", search: {} } }];

/** As many bytes as the server reads. */
const most = 1 << 20;

/** Imports checks from a document, after a preview of the effect. */
export function ImportPage() {
  const toast = useToast();
  const { known, manage } = useHealthPermission();
  const file = useRef<HTMLInputElement>(null);
  const [document, setDocument] = useState("");
  const [unread, setUnread] = useState<string>();
  const preview = useMutation({ mutationFn: previewImport });
  const write = useWrite({
    send: importChecks,
    invalidates: [healthKey],
    onSuccess: ({ created, updated }) => toast(`${count(created, "check")} created, ${updated} updated`),
  });
  const done = write.data;
  const report = done ?? (preview.variables === document ? preview.data : undefined);
  const leaving = useLeaveGuard(() => document.trim() !== "" && !done);
  const edit = (text: string) => {
    setDocument(text);
    setUnread(undefined);
    write.reset();
  };
  const read = async (chosen: File | undefined) => {
    if (!chosen) return;
    if (chosen.size > most) setUnread("The file exceeds the limit of 1 MB.");
    else edit(await chosen.text());
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
      description="Checks in YAML or JSON, as exported. Checks with a known name are updated, others are created."
      testId="import-page"
      title="Import checks"
      trail={<Trail crumbs={trail} here="Import" />}
    >
      <Panel title="Document">
        <form
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            write.reset();
            preview.mutate(document);
          }}
        >
          <TextArea
            className="font-mono"
            hint="Paste it, or choose a file. Secrets are referenced by name and must exist here."
            issue={unread}
            label="Document"
            onChange={(event) => edit(event.currentTarget.value)}
            placeholder={"version: 1\nchecks:\n  - name: Front page\n    …"}
            rows={12}
            spellCheck={false}
            value={document}
          />
          <input
            accept=".yaml,.yml,.json,application/json,application/yaml,text/plain"
            aria-label="File with the document"
            className="hidden"
            data-testid="import-file"
            onChange={(event) => void read(event.currentTarget.files?.[0])}
            ref={file}
            type="file"
          />
          <ErrorNotice error={preview.error} />
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={() => file.current?.click()}>Choose a file</Button>
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
      {report && (
        <Report
          actions={
            !done && (
              <Button
                busy={write.isPending}
                data-testid="import-now"
                disabled={!report.valid || report.created + report.updated === 0}
                onClick={() => write.mutate({ document, expected: report.fingerprint })}
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

const outcomes: Record<ImportedCheck["outcome"], { before: string; after: string; tone: Tone }> = {
  created: { before: "is created", after: "created", tone: "success" },
  updated: { before: "is changed", after: "changed", tone: "primary" },
  unchanged: { before: "stays", after: "stayed", tone: "neutral" },
  refused: { before: "is refused", after: "refused", tone: "danger" },
};

interface ReportProps {
  report: ImportReport;
  done: boolean;
  actions: ReactNode;
  children: ReactNode;
}

function Report({ report, done, actions, children }: ReportProps) {
  const { created, updated, unchanged, checks, valid } = report;
  const sum = [`${created} created`, `${updated} changed`, `${unchanged} unchanged`].join(", ");
  return (
    <Panel title={done ? "Import results" : "Preview"}>
      {children}
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm" data-testid="import-sum" role="status">
          {valid ? `${sum}.` : "Nothing is imported while a check is invalid. Correct the document."}
        </p>
        {actions}
      </div>
      <ul aria-label="Checks of the document" className="-mx-4 -mb-4 divide-y border-t">
        {checks.map((check) => (
          <Outcome check={check} done={done} key={check.name} />
        ))}
      </ul>
    </Panel>
  );
}

function Outcome({ check, done }: { check: ImportedCheck; done: boolean }) {
  const { name, id, outcome, changes, errors } = check;
  const words = outcomes[outcome];
  return (
    <li className="px-4 py-2.5 text-sm" data-outcome={outcome} data-testid="imported-check">
      <div className="flex flex-wrap items-center gap-2">
        {id ? (
          <Link
            className="font-medium wrap-anywhere hover:text-primary"
            params={{ checkId: id }}
            to="/health/checks/$checkId"
          >
            {name}
          </Link>
        ) : (
          <span className="font-medium wrap-anywhere">{name}</span>
        )}
        <Badge tone={words.tone}>{done ? words.after : words.before}</Badge>
      </div>
      {changes.length > 0 && <p className="text-muted-foreground">Changes: {changes.join(", ")}.</p>}
      {errors.length > 0 && (
        <ul className="list-disc pl-5 text-danger">
          {errors.map(({ path, message }) => (
            <li className="wrap-anywhere" key={`${path} ${message}`}>
              <code className="font-mono text-xs">{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
