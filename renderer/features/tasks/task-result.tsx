import { call } from '#bridge';
import { setResultView, useResultView } from '#model/result-view.ts';
import { selectTraceRow } from '#model/selection.ts';
import { useQuery } from '#model/use-query.ts';
import type { ResultView } from '#shared/contract/place.ts';
import type { Task } from '#shared/contract/tasks.ts';
import { errorCodeName, isObject } from '#shared/protocol/jsonrpc.ts';
import { ResultBody, ResultViewSwitch } from '#ui/content/result-body.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';

/** The result or the error of a task. */
export function TaskResult({ task }: { readonly task: Task & { readonly resultRow: number } }) {
  const { sessionId, id, resultRow, error } = task;
  const view = useResultView();
  const isTool = isToolTask(task);
  return (
    <section aria-label={error === null ? 'Result of the task' : 'Error of the task'}>
      <div className="mb-1 flex h-6 items-center gap-2">
        <h3 className="caption">{error === null ? 'Result' : 'Error'}</h3>
        <RowLink row={resultRow} onOpen={() => selectTraceRow(sessionId, resultRow)} />
        {isTool && error === null && (
          <span className="ml-auto">
            <ResultViewSwitch label="Show the result as" view={view} onChange={setResultView} />
          </span>
        )}
      </div>
      {error === null ? (
        <ResultText key={`${id} ${resultRow}`} task={task} view={isTool ? view : 'raw'} />
      ) : (
        <p className="border-l-2 border-err py-0.5 pl-2">
          <code className="mono text-err">{error.code}</code>{' '}
          <span className="font-medium">{errorCodeName(error.code)}</span>{' '}
          <PlainText inline text={error.message} />
        </p>
      )}
    </section>
  );
}

function ResultText({
  task: { sessionId, id: taskId, resultRow },
  view,
}: {
  readonly task: Task & { readonly resultRow: number };
  readonly view: ResultView;
}) {
  const { result, fault } = useQuery(`${sessionId} ${taskId} ${resultRow}`, () =>
    call('tasks/result', { sessionId, taskId }),
  );
  if (fault !== null) return <FaultCard fault={fault} />;
  if (result === null)
    return <div role="group" aria-busy aria-label="The result is loading" className="h-8" />;
  const { text } = result;
  if (text === null) return <p className="text-mute">The response has no result.</p>;
  const isCut = text.length > MAX_LENGTH;
  const shown = isCut ? text.slice(0, MAX_LENGTH) : text;
  return (
    <div className="flex flex-col gap-2">
      {view === 'raw' && !isCut ? (
        <div className="rounded-ui border border-line bg-raise px-2.5 py-2">
          <JsonText raw={shown} />
        </div>
      ) : (
        <ResultBody
          text={shown}
          view={view}
          isCut={isCut}
          isToolError={!isCut && isToolError(text)}
          outputValidation={null}
          onShowAll={() => selectTraceRow(sessionId, resultRow)}
        />
      )}
    </div>
  );
}

/** Limit of characters on screen; the trace has the whole text. */
const MAX_LENGTH = 1_000_000;

/** Servers can run only tool calls as tasks (MCP 2025-11-25 tasks; the same in the extension). */
const isToolTask = ({ owner, method }: Task): boolean =>
  owner === 'server' && (method === null || method === 'tools/call');

function isToolError(text: string): boolean {
  const result: unknown = JSON.parse(text);
  return isObject(result) && result.isError === true;
}
