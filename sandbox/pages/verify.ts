// The hosted verification: a name, an e-mail, a button.
import { html } from './html.ts';
import { page } from './layout.ts';

export function verificationPage(fault?: string): string {
  return page({
    title: 'Verify your identity',
    content: html`<h1>Verify your identity</h1>
<p>A real provider would ask for documents here. The sandbox takes your word for it.</p>
<section>
${fault ? html`<p role="alert"><strong>${fault}</strong></p>` : ''}
<form method="post">
  <label>Full name <input name="full_name" autocomplete="name" required maxlength="200"></label>
  <label>E-mail <input name="email" type="email" autocomplete="email" required maxlength="254"></label>
  <button>Verify me</button>
</form>
</section>`,
  });
}
