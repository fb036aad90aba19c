import { Component, type ReactNode } from 'react';
import { CopyDiagnostics } from './settings/copy-diagnostics.tsx';
import { faultOf } from '#model/faults.ts';
import { Button } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';

const notesOn = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? String(error)) : String(error);

interface Props {
  /** What is inside, such as `Tools`; by default the whole window. */
  readonly of?: string;
  readonly children: ReactNode;
}

/** Contains a rendering error to one part of the window. */
export class ErrorBoundary extends Component<Props, { readonly error: unknown; readonly hasError: boolean }> {
  override state = { error: null as unknown, hasError: false };

  static getDerivedStateFromError(error: unknown) {
    return { error, hasError: true };
  }

  override render() {
    if (!this.state.hasError) return this.props.children;
    const part = this.props.of ?? 'The window';
    return (
      <div className="h-full overflow-auto p-4">
        <FaultCard
          fault={{
            ...faultOf(this.state.error),
            code: 'screen-failed',
            what: `${part} could not be shown.`,
            next: 'Show it again; your sessions and traces are not touched by this.',
          }}
          actions={
            <>
              <Button onClick={() => this.setState({ hasError: false })}>Show it again</Button>
              <CopyDiagnostics notes={notesOn(this.state.error)} />
            </>
          }
        />
      </div>
    );
  }
}
