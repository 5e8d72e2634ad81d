/** The style sheet of every hosted page, light and dark; it loads nothing. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f4f6f8; --card: #ffffff; --ink: #17212b; --soft: #4d5b69; --line: #c9d1d9; --edge: #6b7a89;
  --brand: #0b6b4f; --brand-ink: #ffffff; --brand-soft: #e3f3ec;
  --bad: #a6191f; --bad-soft: #fdecec;
  --sandbox: #7a4a00; --sandbox-soft: #fff6df; --sandbox-line: #c98a1b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1418; --card: #192127; --ink: #e9eef2; --soft: #a9b6c1; --line: #36434e; --edge: #8294a3;
    --brand: #5fd3a7; --brand-ink: #06251a; --brand-soft: #12352a;
    --bad: #ff9c9c; --bad-soft: #3a1a1c;
    --sandbox: #ffd37a; --sandbox-soft: #2a2213; --sandbox-line: #a87420;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 1.0625rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Open Sans', sans-serif;
}
.banner {
  background: var(--sandbox-soft); color: var(--sandbox); border-bottom: 2px solid var(--sandbox-line);
  padding: .5rem 1rem; font-size: .9375rem;
}
.banner p { max-width: 36rem; margin: 0 auto; }
.tag {
  display: inline-block; padding: 0 .5rem; border: 1px solid currentColor; border-radius: 1rem;
  font-size: .8125rem; font-weight: 700; margin-right: .375rem;
}
main, aside { width: calc(100% - 1.5rem); max-width: 36rem; margin: 1.25rem auto; padding: 1.5rem; border-radius: .75rem; }
:is(main, aside, .errors, details, form, dl) > :last-child { margin-bottom: 0; }
main { background: var(--card); border: 1px solid var(--line); }
aside { background: var(--sandbox-soft); border: 2px dashed var(--sandbox-line); }
h1, h2 { line-height: 1.2; margin: 0 0 .5rem; }
h1 { font-size: 1.625rem; }
h2 { font-size: 1.1875rem; }
h1:focus { outline: none; }
p { margin: 0 0 1rem; }
.soft { color: var(--soft); }
.steps { display: flex; gap: .5rem; list-style: none; margin: 0 0 1.5rem; padding: 0; font-size: .875rem; }
.steps li { flex: 1; border-top: 4px solid var(--line); padding-top: .375rem; color: var(--soft); }
.steps .done { border-color: var(--brand); }
.steps [aria-current] { border-color: var(--brand); color: var(--ink); font-weight: 700; }
form { margin: 0; }
fieldset { border: 0; margin: 0 0 1rem; padding: 0; min-width: 0; }
legend { font-weight: 700; padding: 0; margin-bottom: .5rem; }
.field { margin-bottom: 1.25rem; }
.field > label { display: block; font-weight: 600; }
.hint { color: var(--soft); font-size: .9375rem; margin: 0 0 .375rem; }
.problem { color: var(--bad); font-weight: 600; margin: 0 0 .375rem; }
input[type=text] {
  width: 100%; min-height: 2.75rem; padding: .5rem .75rem; font: inherit; color: inherit;
  background: var(--card); border: 1px solid var(--edge); border-radius: .375rem;
}
input[aria-invalid] { border: 2px solid var(--bad); }
.choice { display: grid; grid-template-columns: 1.5rem 1fr; gap: 0 .625rem; padding: .5rem 0; }
.choice input { width: 1.375rem; height: 1.375rem; margin: .0625rem 0 0; accent-color: var(--brand); }
.choice label { font-weight: 600; }
.choice .hint { grid-column: 2; margin: 0; }
aside .choice { padding: .1875rem 0; line-height: 1.3; }
aside .choice .hint { font-size: .8125rem; }
aside form > button { position: sticky; bottom: .75rem; width: 100%; }
aside .field { margin-bottom: .75rem; }
aside .field .hint { font-size: .8125rem; line-height: 1.3; }
button {
  min-height: 2.875rem; padding: .5rem 1.25rem; font: inherit; font-weight: 700; cursor: pointer;
  color: var(--brand-ink); background: var(--brand); border: 2px solid var(--brand); border-radius: .375rem;
}
button.plain { background: transparent; color: var(--brand); }
aside button { background: var(--sandbox); border-color: var(--sandbox); color: var(--sandbox-soft); }
aside .choice input { accent-color: var(--sandbox); }
aside .hint { color: inherit; }
:focus-visible { outline: 3px solid var(--brand); outline-offset: 2px; }
aside :focus-visible { outline-color: var(--sandbox); }
summary { cursor: pointer; font-weight: 700; padding: .375rem 0; }
details[open] > summary { margin-bottom: .75rem; }
.errors { background: var(--bad-soft); border: 2px solid var(--bad); border-radius: .5rem; padding: 1rem 1.25rem; margin-bottom: 1.5rem; }
.errors ul { margin: 0; padding-left: 1.25rem; }
.errors a { color: var(--bad); font-weight: 600; }
dl { margin: 0 0 1.25rem; display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; }
dt { color: var(--soft); }
dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
.picture { display: block; width: 100%; max-width: 22rem; margin: 0 auto 1rem; color: var(--brand); background: var(--brand-soft); border-radius: .75rem; }
.note { background: var(--sandbox-soft); color: var(--sandbox); border-left: 4px solid var(--sandbox-line); padding: .5rem .75rem; }
code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace; font-size: .9375em; overflow-wrap: anywhere; }
@media (min-width: 64rem) {
  body:has(aside) { display: grid; grid-template-columns: 1fr minmax(0, 36rem) minmax(0, 26rem) 1fr; align-items: start; gap: 0 1.25rem; }
  body:has(aside) :is(main, aside) { width: 100%; margin: 1.25rem 0; grid-row: 2; }
  .banner { grid-column: 1 / -1; }
  body:has(aside) .banner p { max-width: 63.25rem; }
  main { grid-column: 2; }
  aside { grid-column: 3; }
}
@media (max-width: 40rem) {
  main, aside { margin: .75rem auto; padding: 1.125rem; }
  .banner { font-size: .8125rem; padding: .375rem 1rem; }
  h1 { font-size: 1.375rem; }
  .steps { margin-bottom: .75rem; }
  aside { padding: .75rem 1rem; }
  aside legend { margin-bottom: .125rem; }
  main button, aside button { width: 100%; }
  .steps { font-size: .8125rem; gap: .375rem; }
  .steps li { min-width: 0; white-space: nowrap; }
  .steps li:not([aria-current]) { font-size: 0; }
}
@media (prefers-reduced-motion: no-preference) { button { transition: filter .1s; } button:hover { filter: brightness(1.1); } }
`;
