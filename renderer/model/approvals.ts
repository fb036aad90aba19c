import { create } from 'zustand';
import { call, on } from '#bridge';
import type { Approval } from '#shared/contract/approvals.ts';

/** The command lines that the user has approved, as the engine last told. */
export const useApprovals = create<{ approvals: readonly Approval[] }>()(() => ({ approvals: [] }));

export async function followApprovals(): Promise<void> {
  on('approvals/changed', (approvals) => useApprovals.setState({ approvals }));
  useApprovals.setState({ approvals: await call('approvals/list', {}) });
}
