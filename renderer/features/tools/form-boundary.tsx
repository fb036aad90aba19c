import { Component, type ReactNode } from 'react';

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
