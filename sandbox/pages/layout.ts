// The layout of all pages: one column, no script, nothing fetched from elsewhere.
import { type Html, html } from './html.ts';

const STYLE = `
:root { --ink: #14262b; --soft: #56696f; --line: #d9e2e3; --paper: #f6f8f7; --card: #fff; --accent: #0b6e62 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8efee; --soft: #9db0b1; --line: #2b3b3f; --paper: #10191b; --card: #172326; --accent: #4fc1b0 }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif }
main { max-width: 58rem; margin: 0 auto; padding: 2.5rem 1.25rem 5rem }
h1 { font-size: 1.9rem; letter-spacing: -.02em; margin: 0 0 .4rem }
h2 { font-size: 1.15rem; margin: 0 0 .6rem }
p { color: var(--soft); margin: 0 0 1rem }
a { color: var(--accent) }
code { font: .88em ui-monospace, monospace; overflow-wrap: anywhere }
section { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem; margin: 1.25rem 0 }
table { width: 100%; border-collapse: collapse; margin-top: 1.25rem }
td, th { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-top: 1px solid var(--line) }
th { font-weight: 600; font-size: .85rem; color: var(--soft); border: 0 }
td:first-child { width: 42% }
form { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: .75rem; align-items: end }
label { display: grid; gap: .25rem; font-size: .9rem; color: var(--soft) }
label.tick { display: flex; gap: .5rem; align-items: center }
form.stacked { display: block }
input:not([type=checkbox]), textarea, select { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line);
  border-radius: .5rem; padding: .55rem .7rem; width: 100% }
select { min-height: 2.775rem }
textarea { font: .85em ui-monospace, monospace; min-height: 9rem }
button { font: inherit; font-weight: 600; color: var(--card); background: var(--accent); border: 0; border-radius: .5rem;
  padding: .62rem 1.1rem; cursor: pointer }
.bar { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; justify-content: space-between }
table.settings { margin-top: 0 }
table.settings td { vertical-align: middle }
table.settings td:first-child { width: 11rem }
table.settings td:nth-child(3) { width: 8rem }
table.settings td:last-child { width: 4rem; text-align: right; padding-right: 0 }
table.settings th:last-child { text-align: right; padding-right: 0 }
@media (max-width: 40rem) {
  table.settings thead { display: none }
  table.settings tr { display: grid; grid-template-columns: 1fr 6.5rem 2.5rem; align-items: center;
    border-top: 1px solid var(--line); padding: .5rem 0 }
  table.settings td, table.settings td:nth-child(n) { border: 0; padding: 0; width: auto }
  table.settings td:nth-child(2) { grid-row: 2; padding-right: .75rem; font-size: .85rem; color: var(--soft) }
  table.settings td:nth-child(n+3) { grid-row: 1 / 3 }
}
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
`;

export function page(title: string, content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${css}</style>
</head>
<body><main>${content}</main></body>
</html>
`.text;
}

const css = html([STYLE] as unknown as TemplateStringsArray);

/** A page with one message. @param back where the app is, if the way back is known. */
export function notice(title: string, text: string, back?: string): string {
  const link = back === undefined ? '' : html`<p><a href="${back}">Back to the app</a></p>`;
  return page(title, html`<h1>${title}</h1><p>${text}</p>${link}`);
}
