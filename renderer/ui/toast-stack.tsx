import { Toaster as Sonner } from 'sonner';

/** Toasts appear at the top, so that they never cover the trace. */
export default function ToastStack() {
  return (
    <Sonner
      position="top-right"
      offset={{ top: 46, right: 12 }}
      gap={8}
      toastOptions={{
        unstyled: true,
        classNames: {
          toast:
            'flex w-[340px] items-start gap-2 font-[family-name:var(--font)] rounded-ui border border-line bg-raise px-3 py-2 shadow-float text-text',
          title: 'line-clamp-3 font-medium',
          description: 'text-mute',
          error: 'border-l-2 border-l-err',
          content: 'min-w-0 flex-1 wrap-anywhere',
          actionButton:
            'ml-auto h-6 shrink-0 rounded-ui border border-line bg-panel px-2 text-sm font-medium text-text hover:border-line-strong hover:bg-hover',
        },
      }}
    />
  );
}
