import { useState } from 'react';
import { saveRules, showPanel, useInboxServer } from '#model/inbox.ts';
import { useAction } from '#model/use-query.ts';
import {
  type InboxAnswer,
  type InboxEntry,
  inboxMethods,
  type InboxRule,
  ruleApplies,
} from '#shared/contract/inbox.ts';
import type { Server } from '#shared/contract/servers.ts';
import { Button } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { RuleList } from '#ui/rules/rule-list.tsx';
import { ruleErrors, ruleOf, type RuleRow, ruleRowOf } from '#ui/rules/rule-row.ts';
import { visibleLine } from '#ui/visible.ts';
import { Column } from './pane-layout.tsx';
import type { Question } from './read-question.ts';

/** The rules that answer for the user, to edit beside the questions that they answer. */
export function RulesPanel({ server }: { readonly server: Server }) {
  const [rows, setRows] = useState<readonly RuleRow[]>(() => server.client.rules.map(ruleRowOf));
  /** Fields that the user has left: their errors are shown. */
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const errors = ruleErrors(rows);
  const shown = Object.fromEntries(Object.entries(errors).filter(([field]) => left.has(field)));
  const isChanged = JSON.stringify(rows.map(ruleOf)) !== JSON.stringify(server.client.rules);
  const saving = useAction(() => saveRules(server, rows.map(ruleOf)));
  const save = () => {
    const wrong = Object.keys(errors);
    if (wrong.length > 0) setLeft(new Set(wrong));
    else void saving.run();
  };
  return (
    <Column
      label="Rules"
      heading={
        <>
          <h2 className="text-lg font-semibold">Rules</h2>
          <p className="mt-0.5 mb-2 text-sm text-mute">
            They answer questions of {visibleLine(server.name)} without asking you. The first one that matches
            applies, as soon as it is saved.
          </p>
        </>
      }
      bar={
        <div className="flex shrink-0 items-center gap-2 border-t border-line bg-bg px-4 py-2.5">
          <Button
            variant="primary"
            disabled={!isChanged || saving.isRunning || server.source === 'demo'}
            onClick={save}
          >
            Save the rules
          </Button>
          <Button onClick={() => showPanel(null)}>Close</Button>
          {server.source === 'demo' && (
            <span className="text-sm text-mute">The demo server cannot be changed.</span>
          )}
        </div>
      }
    >
      {saving.fault !== null && <FaultCard fault={saving.fault} className="mb-2" />}
      <RuleList
        rules={rows}
        errors={shown}
        onChange={setRows}
        validate={(field) => setLeft(new Set([...left, field]))}
      />
    </Column>
  );
}

/** Makes a rule of an answer, so that the next such question is answered without the user. */
export function AlwaysAnswer({
  entry,
  question,
}: {
  readonly entry: InboxEntry;
  readonly question: Question;
}) {
  const server = useInboxServer();
  const saving = useAction(async (rule: InboxRule) => {
    if (server !== null) await saveRules(server, [rule, ...server.client.rules]);
  });
  const content = entry.answer?.content;
  const method = inboxMethods.find((one) => one === entry.method);
  if (server === null || server.source === 'demo' || content === undefined || method === undefined)
    return null;
  const contains = wordsOf(question);
  const applying = server.client.rules.find((rule) => ruleApplies(rule, entry));
  const isThere = applying !== undefined && isSame(applying.answer, content);
  return (
    <div className="mt-3 flex flex-wrap items-center gap-2">
      {isThere ? (
        <>
          <span role="status" className="text-sm text-mute">
            A rule answers {contains === null ? 'such questions' : 'questions with this message'} like this.
          </span>
          <Button size="small" onClick={() => showPanel('rules')}>
            Edit the rules
          </Button>
        </>
      ) : (
        <Button
          size="small"
          disabled={saving.isRunning}
          onClick={() =>
            void saving.run({ method, ...(contains !== null && { contains }), answer: content, delay: 0 })
          }
        >
          Always answer like this
        </Button>
      )}
      {saving.fault !== null && <FaultCard fault={saving.fault} />}
    </div>
  );
}

/** What tells a question from others of its method: each form has content of its own. */
const wordsOf = (question: Question): string | null =>
  (question.kind === 'form' || question.kind === 'url') && question.message !== '' ? question.message : null;

const isSame = (a: InboxAnswer, b: InboxAnswer): boolean => JSON.stringify(a) === JSON.stringify(b);
