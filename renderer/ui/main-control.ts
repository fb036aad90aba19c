/** The control of a form that takes the focus: its first field, else the button that runs it, else the form. */
export const mainControlOf = (form: HTMLElement): HTMLElement =>
  form.querySelector<HTMLElement>(
    'input:not([disabled]), textarea:not([disabled]), select:not([disabled]), [role=textbox]',
  ) ??
  form.querySelector<HTMLElement>('[data-run]:not([disabled])') ??
  form;
