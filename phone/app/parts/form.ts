// A form that never leaves the page. Its first faulty field gets the focus.
import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import { useRef } from 'preact/hooks';

type Props = {
  children: ComponentChildren;
  /** @returns whether the values were accepted. If not, a field shows why. */
  onSend: () => boolean;
};

export function Form({ children, onSend }: Props): VNode {
  const form = useRef<HTMLFormElement>(null);
  const send = (event: Event): void => {
    event.preventDefault();
    if (onSend()) return;
    // The focus moves after the fault is drawn.
    setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus());
  };
  return html`<form ref=${form} class="form" novalidate onSubmit=${send}>${children}</form>`;
}
