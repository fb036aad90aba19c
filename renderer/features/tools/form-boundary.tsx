import { Component, type ReactNode } from 'react';
import { messageOf } from '#shared/contract/fault.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { PlainText } from '#ui/plain-text.tsx';

interface Props {
  /** Told why the form could not be drawn. */
  readonly onFault: (why: string) => void;
  readonly children: ReactNode;
}

/** A schema of a server can make the form library fail; the arguments are then written as JSON. */
export class FormBoundary extends Component<Props, { readonly hasFault: boolean }> {
  override state = { hasFault: false };

  static getDerivedStateFromError() {
    return { hasFault: true };
  }

  override componentDidCatch(error: unknown) {
    const [why = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    this.props.onFault(`its schema makes no form (${why}).`);
  }

  override render() {
    return this.state.hasFault ? null : this.props.children;
  }
}

/** Keeps a tool that cannot be shown from taking the other tools with it. */
export class ToolBoundary extends Component<
  { readonly raw: string; readonly children: ReactNode },
  { readonly why: string | null }
> {
  override state = { why: null as string | null };

  static getDerivedStateFromError(error: unknown) {
    return { why: messageOf(error) };
  }

  override render() {
    const { why } = this.state;
    if (why === null) return this.props.children;
    const fault = {
      code: 'tool-not-shown',
      what: 'This tool could not be shown.',
      why,
      next: 'The other tools are not affected. The trace has the whole entry.',
    };
    return (
      <div className="h-full overflow-auto p-4">
        <FaultCard fault={fault} />
        <PlainText text={this.props.raw.slice(0, SHOWN)} className="mono mt-2" />
      </div>
    );
  }
}

/** Characters of an entry that are shown when nothing more can be made of it. */
const SHOWN = 4_000;
