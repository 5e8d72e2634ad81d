/** Style sheet for all hosted pages, with light and dark colors and without external resources. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f4f6f8, #0f1418); --card: light-dark(#fff, #192127); --ink: light-dark(#17212b, #e9eef2);
  --soft: light-dark(#4d5b69, #a9b6c1); --line: light-dark(#c9d1d9, #36434e); --edge: light-dark(#6b7a89, #8294a3);
  --brand: light-dark(#0b6b4f, #5fd3a7); --brand-ink: light-dark(#fff, #06251a);
    --brand-soft: light-dark(#e3f3ec, #12352a);
  --bad: light-dark(#a6191f, #ff9c9c); --bad-soft: light-dark(#fdecec, #3a1a1c);
    --waiting: light-dark(#7a4a00, #ffd37a);
  --sandbox: light-dark(#7a4a00, #ffd37a); --sandbox-soft: light-dark(#fff6df, #2a2213);
    --sandbox-line: light-dark(#c98a1b, #a87420);
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 1.0625rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Open Sans', sans-serif; overflow-wrap: anywhere;
}
.banner { background: var(--sandbox-soft); color: var(--sandbox);
  border-bottom: 2px solid var(--sandbox-line); padding: .5rem 1rem; }
.banner p { margin: 0 auto; max-width: 60rem; text-align: center; font-size: .9375rem; }
.columns { display: flex; flex-wrap: wrap; gap: 1rem; max-width: 62rem; margin: 0 auto; padding: 1rem;
  align-items: flex-start; justify-content: center; }
main, aside { flex: 1 1 20rem; min-width: 0; max-width: 36rem; padding: 1.25rem; border-radius: .75rem; }
main { background: var(--card); border: 1px solid var(--line); }
aside { background: var(--sandbox-soft); border: 2px dashed var(--sandbox-line); }
:is(main, aside, .errors, details, form, dl) > :last-child { margin-bottom: 0; }
h1, h2 { line-height: 1.2; margin: 0 0 .5rem; }
h1 { font-size: 1.625rem; }
h2 { font-size: 1.1875rem; }
h1:focus { outline: none; }
p { margin: 0 0 .75rem; }
a { color: inherit; }
.soft, #raw { color: var(--soft); }
.tag { display: inline-block; padding: 0 .5rem; border: 1px solid currentColor; border-radius: 1rem;
  font-size: .8125rem; color: var(--sandbox); }
dl { margin: 0 0 1.25rem; display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; }
dt { color: var(--soft); }
dd { margin: 0; font-weight: 600; }
form { margin: 0 0 .75rem; }
fieldset { border: 0; margin: 0 0 1rem; padding: 0; min-width: 0; }
legend { font-weight: 700; padding: 0; margin-bottom: .25rem; }
.field { margin-bottom: 1rem; }
label { display: block; font-weight: 600; }
.hint { color: var(--soft); font-size: .875rem; line-height: 1.3; margin: 0 0 .375rem; }
.problem { color: var(--bad); font-weight: 600; margin: 0 0 .375rem; }
input[type=text], textarea, select {
  width: 100%; min-height: 2.75rem; padding: .5rem .625rem; font: inherit; color: inherit;
  background: var(--card); border: 1px solid var(--edge); border-radius: .375rem;
}
code, textarea { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace;
  font-size: .9375em; }
input[aria-invalid] { border: 2px solid var(--bad); }
textarea { height: 6.5rem; resize: vertical; }
select { margin-bottom: .5rem; text-overflow: ellipsis; }
.choice { display: grid; grid-template-columns: 1.5rem 1fr; gap: 0 .625rem; padding: .1875rem 0; line-height: 1.3; }
.choice input { width: 1.375rem; height: 1.375rem; margin: .0625rem 0 0; accent-color: var(--brand); }
.choice .hint { grid-column: 2; margin: 0; font-size: .8125rem; }
button {
  min-height: 2.875rem; padding: .5rem 1.25rem; font: inherit; font-weight: 700; cursor: pointer; width: 100%;
  color: var(--brand-ink); background: var(--brand); border: 2px solid var(--brand); border-radius: .375rem;
}
button.plain { background: transparent; color: var(--brand); }
aside button { background: var(--sandbox); border-color: var(--sandbox); color: var(--sandbox-soft); }
aside [data-action]:not([data-action=settle]) button { background: transparent; color: var(--sandbox); }
aside .choice input { accent-color: var(--sandbox); }
aside .hint { color: inherit; }
aside fieldset ~ button { position: sticky; bottom: .75rem; }
aside ul { list-style: none; margin: 0; padding: 0; }
aside li { padding: .375rem 0; border-top: 1px solid var(--sandbox-line); }
:focus-visible { outline: 3px solid var(--brand); outline-offset: 2px; }
aside :focus-visible { outline-color: var(--sandbox); }
summary { cursor: pointer; font-weight: 700; padding: .375rem 0; }
details[open] > summary { margin-bottom: .75rem; }
main details { border-top: 1px solid var(--line); margin-top: 1rem; padding-top: .75rem; }
.errors { background: var(--bad-soft); border: 2px solid var(--bad); border-radius: .5rem;
  padding: .625rem 1rem; margin-bottom: 1rem; }
.errors ul { margin: 0; padding-left: 1.25rem; }
.errors a { color: var(--bad); font-weight: 600; }
.steps { display: flex; gap: .375rem; list-style: none; margin: 0 0 1rem; padding: 0; font-size: .8125rem; }
.steps li { flex: 1; min-width: 0; border-top: 4px solid var(--line); padding-top: .375rem; color: var(--soft); }
.steps .done { border-color: var(--brand); }
.steps [aria-current] { border-color: var(--brand); color: var(--ink); font-weight: 700; }
.picture { display: block; width: 100%; max-width: 22rem; margin: 0 auto 1rem; color: var(--brand);
  background: var(--brand-soft); border-radius: .75rem; }
.note { background: var(--sandbox-soft); color: var(--sandbox); border-left: 4px solid var(--sandbox-line);
  padding: .5rem .75rem; }
#status { margin: .75rem 0; padding: .5rem .75rem; border: 1px solid var(--line);
  border-left: .375rem solid var(--waiting); border-radius: .375rem; }
#status[data-status=SETTLED] { border-left-color: var(--brand); }
#status[data-status=FAILED], #status[data-status=EXPIRED] { border-left-color: var(--bad); }
#paid { margin: 2rem 0; text-align: center; font-size: 2rem; font-weight: 700; color: var(--brand); }
#left { text-align: center; font-variant-numeric: tabular-nums; }
.qr { display: block; width: 100%; max-width: 15rem; height: auto; margin: 0 auto .75rem; background: #fff;
  border-radius: .5rem; image-rendering: pixelated; }
@media (min-width: 48rem) { main { order: -1; } }
@media (max-width: 40rem) {
  .columns { padding: .5rem; gap: .5rem; }
  .steps li { white-space: nowrap; }
  .steps li:not([aria-current]) { font-size: 0; }
}
`;
