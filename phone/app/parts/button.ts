// The button for the main action of a screen. While the action runs, the button says so and ignores presses.
import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';

type Props = {
  children: ComponentChildren;
  /** Without it, the button submits its form. */
  onPress?: () => void;
  isBusy?: boolean;
  kind?: 'main' | 'second' | 'danger' | 'apple' | 'google';
};

export const Button = ({ children, onPress, isBusy = false, kind = 'main' }: Props): VNode => html`
  <button
    type=${onPress ? 'button' : 'submit'}
    class=${`button ${kind}`}
    aria-disabled=${isBusy}
    onClick=${(event: Event) => {
      if (isBusy) event.preventDefault();
      else onPress?.();
    }}
  >
    ${isBusy && html`<span class="spinner" aria-hidden="true"></span>`}
    <span>${children}</span>
  </button>`;
