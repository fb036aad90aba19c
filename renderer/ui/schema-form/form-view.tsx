import { Component, lazy, type ReactNode, Suspense } from 'react';
import type { SchemaFormProps } from './schema-form.tsx';

const SchemaForm = lazy(() => import('./schema-form.tsx'));

/** A form that is loaded when it is needed. Calls `onFault` with the reason if none can be made of the schema. */
export function FormView({
  onFault,
  children,
  ...form
}: SchemaFormProps & {
  readonly onFault: (reason: string) => void;
  /** Rendered with the form, once it has loaded. */
  readonly children?: ReactNode;
}) {
  return (
    <FormBoundary onFault={onFault}>
      <Suspense fallback={<div role="group" aria-busy aria-label="The form is loading" className="h-12" />}>
        <SchemaForm {...form} />
        {children}
      </Suspense>
    </FormBoundary>
  );
}

interface Props {
  /** Called when rendering the form fails. */
  readonly onFault: (reason: string) => void;
  readonly children: ReactNode;
}

/** Catches errors of the form library on unusual schemas; the value is then edited as JSON. */
class FormBoundary extends Component<Props, { readonly hasFault: boolean }> {
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
