// The button that does what the screen is for. While it is busy it says so and does nothing more.
import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';

type Props = {
  children: ComponentChildren;
  /** Left out: it sends the form that it is in. */
  onPress?: () => void;
  isBusy?: boolean;
  kind?: 'main' | 'second' | 'danger';
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
