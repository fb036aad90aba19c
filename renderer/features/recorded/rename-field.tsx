import { useEffect, useId, useRef, useState } from 'react';
import { faultOf } from '#model/connection.ts';
import { renameTrace } from '#model/traces.ts';
import type { TraceFileView } from '#shared/contract/traces.ts';
import { FieldError, Input } from '#ui/field.tsx';

/** The name of a trace to edit, in place of its row. Enter keeps it, Escape does not. */
export function RenameField({
  file,
  onDone,
  onLeave,
}: {
  readonly file: TraceFileView;
  /** The focus belongs to the row of this path now. */
  readonly onDone: (path: string) => void;
  /** The focus went elsewhere. */
  readonly onLeave: () => void;
}) {
  const [name, setName] = useState(file.name);
  const [problem, setProblem] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const isEnding = useRef(false);
  const errorId = useId();
  useEffect(() => {
    // A menu that has just closed gives the focus back first.
    const frame = requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.select();
    });
    return () => cancelAnimationFrame(frame);
  }, []);

  const keep = async (then: (path: string) => void) => {
    if (isEnding.current) return;
    isEnding.current = true;
    const newName = name.trim();
    try {
      if (newName === '' || newName === file.name) return then(file.path);
      then((await renameTrace(file.path, newName)).path);
    } catch (error) {
      const { what, next } = faultOf(error);
      setProblem([what, next].filter(Boolean).join(' '));
      isEnding.current = false;
    }
  };
  return (
    <div className="px-2 py-0.5">
      <Input
        ref={field}
        aria-label={`New name of ${file.name}`}
        aria-invalid={problem === null ? undefined : true}
        aria-describedby={problem === null ? undefined : errorId}
        value={name}
        onChange={({ target }) => setName(target.value)}
        onBlur={() => void keep(onLeave)}
        onKeyDown={(press) => {
          if (press.key === 'Enter') void keep(onDone);
          else if (press.key === 'Escape') {
            isEnding.current = true;
            onDone(file.path);
          } else return;
          press.preventDefault();
        }}
        className="h-6 px-1.5"
      />
      {problem !== null && <FieldError id={errorId}>{problem}</FieldError>}
    </div>
  );
}
