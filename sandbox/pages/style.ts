// The style of all pages: system fonts, two palettes, and tables that become cards on a phone.

export const STYLE = `
:root { color-scheme: light dark; --ink: #14262b; --soft: #52656b; --line: #d9e2e3; --field: #8a9a9d; --paper: #f5f8f7; --card: #fff;
  --accent: #0b6e62; --on-accent: #fff; --danger: #a3261b;
  --good: #0a6045; --good-bg: #dcf3e7; --wait: #7a4a00; --wait-bg: #fdefcf; --bad: #9c1f15; --bad-bg: #fde3df; --back: #5b3a9e; --back-bg: #ece5fb }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8efee; --soft: #a3b5b6; --line: #2b3b3f; --field: #6d8185; --paper: #10191b; --card: #172326;
    --accent: #4fc1b0; --on-accent: #0d1d1b; --danger: #ff9d92;
    --good: #7fe0b4; --good-bg: #123527; --wait: #f5c876; --wait-bg: #3a2c0e; --bad: #ffaaa1; --bad-bg: #45201c; --back: #c9b5ff; --back-bg: #2d2349 }
}
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100% }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; overflow-wrap: break-word }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 5rem }
h1 { font-size: 1.8rem; line-height: 1.2; letter-spacing: -.02em; margin: 0 0 .5rem; overflow-wrap: anywhere }
h2 { font-size: 1.12rem; margin: 0 0 .6rem }
p { color: var(--soft); margin: 0 0 1rem; max-width: 46rem }
section > :last-child, p:last-child { margin-bottom: 0 }
a { color: var(--accent); text-underline-offset: .15em }
code { font: .88em ui-monospace, SFMono-Regular, Menlo, monospace; overflow-wrap: anywhere }
pre { font: .82rem/1.5 ui-monospace, SFMono-Regular, Menlo, monospace; margin: 0; white-space: pre-wrap; overflow-wrap: anywhere }
section { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem; margin: 1.25rem 0 }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .25rem }
.skip { position: absolute; left: -99rem }
.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem 1rem; z-index: 1 }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }

header.site { background: var(--card); border-bottom: 1px solid var(--line) }
header.site nav { max-width: 62rem; margin: 0 auto; padding: .5rem .75rem; display: flex; flex-wrap: wrap; gap: 0 .15rem; align-items: center }
header.site a { color: var(--soft); text-decoration: none; padding: .45rem .6rem; border-radius: .5rem; font-size: .95rem }
header.site a:hover { color: var(--ink); background: var(--paper) }
header.site a[aria-current] { color: var(--accent); font-weight: 600; box-shadow: inset 0 -2px var(--accent); border-radius: .5rem .5rem 0 0 }
header.site a.brand { color: var(--ink); font-weight: 700; letter-spacing: -.01em; margin-right: .5rem }
.trail { font-size: .9rem; margin: 0 0 .35rem }

table { width: 100%; border-collapse: collapse; margin-top: 1.25rem }
section > table:first-child, h2 + table { margin-top: 0 }
td, th { text-align: left; vertical-align: top; padding: .5rem .75rem .5rem 0; border-top: 1px solid var(--line) }
th { font-weight: 600; font-size: .85rem; color: var(--soft); border: 0 }
td:last-child, th:last-child { padding-right: 0 }
table.magic td:first-child { width: 42% }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }

dl.facts { display: grid; grid-template-columns: minmax(8rem, 12rem) 1fr; gap: .45rem 1rem; margin: 0 }
dl.facts dt { color: var(--soft); font-size: .9rem; padding-top: .1rem }
dl.facts dd { margin: 0; overflow-wrap: anywhere }
.badge { display: inline-block; font-size: .78rem; font-weight: 700; letter-spacing: .02em; padding: .1rem .5rem; border-radius: 1rem; white-space: nowrap }
.good { color: var(--good); background: var(--good-bg) }
.wait { color: var(--wait); background: var(--wait-bg) }
.bad { color: var(--bad); background: var(--bad-bg) }
.back { color: var(--back); background: var(--back-bg) }
.plain { color: var(--soft); background: var(--paper); box-shadow: inset 0 0 0 1px var(--line) }
h1 .badge { font-size: .85rem; letter-spacing: .02em; vertical-align: .3em }
.banner { border-radius: .6rem; padding: .7rem 1rem; margin: 0 0 1rem; max-width: none }
.empty { text-align: center; padding: 1.5rem 1rem }
.empty p { margin-left: auto; margin-right: auto }
.filters { display: flex; flex-wrap: wrap; gap: .4rem; margin: 0 0 1rem; padding: 0; list-style: none }
.filters a { display: inline-block; padding: .25rem .7rem; border: 1px solid var(--line); border-radius: 1rem; text-decoration: none; font-size: .88rem }
.filters a[aria-current] { background: var(--accent); color: var(--on-accent); border-color: var(--accent) }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem; margin: 1.25rem 0 }
.tiles a { display: block; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: .8rem 1rem; text-decoration: none; color: var(--soft) }
.tiles a:hover { border-color: var(--accent) }
.tiles strong { display: block; font-size: 1.5rem; line-height: 1.3; color: var(--ink); font-variant-numeric: tabular-nums }
ol.steps { margin: 0; padding-left: 1.3rem }
ol.steps li { margin: .3rem 0 }
ol.feed { list-style: none; margin: 0; padding: 0 }
ol.feed > li { display: grid; grid-template-columns: 6.5rem 1fr auto; gap: .1rem 1rem; align-items: start; border-top: 1px solid var(--line); padding: .7rem 0 }
ol.feed > li:first-child { border-top: 0 }
ol.feed .when, ol.feed .how { color: var(--soft); font-size: .88rem }
ol.feed .what { min-width: 0 }
ol.feed:empty { display: none }
ol.feed + p { margin-top: .6rem }
ul.entries { list-style: none; margin: 0; padding: 0 }
ul.entries li { display: flex; flex-wrap: wrap; gap: 0 1rem; justify-content: space-between }
ul.entries .number { margin-left: auto }

form { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: .75rem; align-items: end }
form.stacked { display: block }
form.delay { display: flex; flex-wrap: wrap; max-width: 24rem }
form.delay label { flex: 1 1 10rem }
form > button { justify-self: start }
.bar form { display: block }
form + form, form + details, p + details { margin-top: 1rem }
details summary { cursor: pointer; color: var(--soft); font-size: .92rem }
details pre { margin-top: .6rem; padding: .8rem; background: var(--paper); border-radius: .5rem }
label { display: grid; gap: .25rem; font-size: .9rem; color: var(--soft) }
label.tick { display: flex; gap: .5rem; align-items: center }
input:not([type=checkbox]), textarea, select { font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--field);
  border-radius: .5rem; padding: .55rem .7rem; width: 100% }
select { min-height: 2.775rem }
textarea { font: .85em ui-monospace, monospace; min-height: 9rem }
button { font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent); border-radius: .5rem;
  padding: .58rem 1.1rem; cursor: pointer }
button:hover { filter: brightness(1.08) }
button.second { color: var(--accent); background: transparent }
button.danger { color: var(--danger); background: transparent; border-color: var(--danger) }
.buttons { display: flex; flex-wrap: wrap; gap: .6rem; grid-column: 1 / -1 }
.choices { display: grid; grid-template-columns: max-content 1fr; gap: .5rem 1rem; align-items: center; grid-column: 1 / -1 }
.choices span { color: var(--soft); font-size: .92rem }
form.search { display: flex; max-width: 34rem; margin: 0 0 1rem }
form.search label { flex: 1 }
.bar { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; justify-content: space-between }
.bar form + form { margin-top: 0 }

table.settings { margin-top: 0 }
table.settings td { vertical-align: middle }
table.settings td:first-child { width: 11rem }
table.settings td:nth-child(3) { width: 8rem }
table.settings td:last-child { width: 4rem; text-align: right }
table.settings th:last-child { text-align: right }
@media (max-width: 40rem) {
  main { padding: 1.25rem .9rem 4rem }
  section { padding: 1rem }
  header.site nav { padding: .35rem .45rem }
  header.site a { padding: .4rem .45rem }
  header.site a.brand { flex-basis: 100% }
  table.settings thead { display: none }
  table.settings tr { display: grid; grid-template-columns: 1fr 6.5rem 2.5rem; align-items: center;
    border-top: 1px solid var(--line); padding: .5rem 0 }
  table.settings td, table.settings td:nth-child(n) { border: 0; padding: 0; width: auto }
  table.settings td:nth-child(2) { grid-row: 2; padding-right: .75rem; font-size: .85rem; color: var(--soft) }
  table.settings td:nth-child(n+3) { grid-row: 1 / 3 }
  table.cards, table.cards tbody { display: block }
  table.cards thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  table.cards tr { display: block; border-top: 1px solid var(--line); padding: .6rem 0 }
  table.cards tbody tr:first-child { border-top: 0 }
  table.cards td { display: grid; grid-template-columns: 5.6rem 1fr; gap: .75rem; border: 0; padding: .15rem 0; text-align: left; white-space: normal; overflow-wrap: anywhere }
  table.cards td::before { content: attr(data-label); color: var(--soft); font-size: .88rem }
  dl.facts { grid-template-columns: 1fr; gap: 0 }
  dl.facts dd { margin-bottom: .6rem }
  ol.feed > li { grid-template-columns: 1fr auto }
  ol.feed .state { grid-area: 1 / 2 }
  ol.feed .what { grid-area: 2 / 1 / auto / -1 }
  form:not(.search) > button, form > div:not(.choices) > button { width: 100% }
  .buttons button { flex: 1 1 7rem }
  .bar, .bar form { width: 100% }
}
@media (prefers-reduced-motion: no-preference) {
  ol.feed > li.htmx-added { background: var(--good-bg) }
  ol.feed > li { transition: background .6s }
}
`;
