// A labelled field of a form, with the reason if its value is wrong.
import { html } from 'htm/preact';
import type { VNode } from 'preact';

type Props = {
  label: string;
  name: string;
  value: string;
  onValue: (value: string) => void;
  hint?: string | undefined;
  fault?: string | null | undefined;
  /** A text in front of the value, such as a currency's sign. */
  prefix?: string | undefined;
  rows?: number;
  isLarge?: boolean;
  input?: Record<string, unknown>;
};

export function Field(props: Props): VNode {
  const { label, name, value, onValue, hint, fault, prefix, rows, isLarge = false, input = {} } = props;
  const notes = [fault ? `${name}-fault` : '', hint ? `${name}-hint` : ''].filter(Boolean).join(' ');
  const shared = {
    id: name,
    name,
    value,
    'aria-invalid': fault ? 'true' : undefined,
    'aria-describedby': notes || undefined,
    onInput: (event: Event) => onValue((event.currentTarget as HTMLInputElement).value),
    ...input,
  };
  return html`
    <div class=${isLarge ? 'field large' : 'field'}>
      <label for=${name}>${label}</label>
      <div class="box">
        ${prefix && html`<span class="prefix" aria-hidden="true">${prefix}</span>`}
        ${rows === undefined ? html`<input ...${shared} />` : html`<textarea rows=${rows} ...${shared} />`}
      </div>
      ${fault && html`<p class="fault" id=${`${name}-fault`}>${fault}</p>`}
      ${hint && html`<p class="hint" id=${`${name}-hint`}>${hint}</p>`}
    </div>`;
}
