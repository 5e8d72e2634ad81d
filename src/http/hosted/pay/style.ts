/** The style sheet of a pay page, light and dark; it loads nothing. */
export const PAY_STYLE = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f4f6f8, #0f1418); --card: light-dark(#fff, #192127); --ink: light-dark(#17212b, #e9eef2);
  --soft: light-dark(#4d5b69, #a9b6c1); --line: light-dark(#c9d1d9, #36434e); --edge: light-dark(#6b7a89, #8294a3);
  --brand: light-dark(#0b6b4f, #5fd3a7); --brand-ink: light-dark(#fff, #06251a);
  --bad: light-dark(#a6191f, #ff9c9c); --bad-soft: light-dark(#fdecec, #3a1a1c); --waiting: light-dark(#7a4a00, #ffd37a);
  --sandbox: light-dark(#7a4a00, #ffd37a); --sandbox-soft: light-dark(#fff6df, #2a2213); --sandbox-line: light-dark(#c98a1b, #a87420);
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 1.0625rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Open Sans', sans-serif; overflow-wrap: anywhere;
}
.banner { background: var(--sandbox-soft); color: var(--sandbox); border-bottom: 2px solid var(--sandbox-line); padding: .5rem 1rem; }
.banner p { margin: 0 auto; max-width: 58rem; text-align: center; }
.columns { display: flex; flex-wrap: wrap; gap: 1rem; max-width: 60rem; margin: 0 auto; padding: 1rem; align-items: flex-start; }
main, aside { flex: 1 1 20rem; min-width: 0; padding: 1.25rem; border-radius: .75rem; }
main { background: var(--card); border: 1px solid var(--line); }
aside { background: var(--sandbox-soft); border: 2px dashed var(--sandbox-line); color: var(--ink); }
h1 { margin: 0; font-size: 2rem; line-height: 1.2; }
h2 { margin: 0 0 .75rem; font-size: 1.125rem; line-height: 1.3; }
p { margin: 0 0 .75rem; }
.soft { color: var(--soft); }
[hidden] { display: none !important; }
.tag { display: inline-block; padding: 0 .5rem; border: 1px solid currentColor; border-radius: 1rem; font-size: .8125rem; color: var(--sandbox); }
#status { margin: .75rem 0; padding: .5rem .75rem; border: 1px solid var(--line); border-left: .375rem solid var(--waiting); border-radius: .375rem; }
#status[data-status=SETTLED] { border-left-color: var(--brand); }
#status[data-status=FAILED], #status[data-status=EXPIRED] { border-left-color: var(--bad); }
code, textarea { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace; font-size: .875rem; }
#raw { color: var(--soft); }
.qr { display: block; width: 100%; max-width: 15rem; height: auto; margin: 0 auto .75rem; background: #fff; border-radius: .5rem; image-rendering: pixelated; }
#left { text-align: center; font-variant-numeric: tabular-nums; }
label { display: block; font-weight: 600; }
textarea, select {
  width: 100%; padding: .5rem .625rem; color: inherit; background: var(--card); border: 1px solid var(--edge); border-radius: .375rem;
}
textarea { height: 6.5rem; resize: vertical; }
select { min-height: 2.875rem; font: inherit; margin-bottom: .5rem; text-overflow: ellipsis; }
button {
  min-height: 2.875rem; padding: .5rem 1.25rem; font: inherit; font-weight: 700; cursor: pointer; width: 100%;
  color: var(--brand-ink); background: var(--brand); border: 2px solid var(--brand); border-radius: .375rem;
}
button.plain { background: transparent; color: var(--brand); }
aside button { color: var(--sandbox); background: transparent; border-color: var(--sandbox); }
aside [data-action=pay] button { background: var(--sandbox); color: var(--sandbox-soft); }
form { margin: 0 0 .75rem; }
aside ul { list-style: none; margin: 0; padding: 0; }
aside li { padding: .375rem 0; border-top: 1px solid var(--sandbox-line); }
a { color: inherit; }
.problem { padding: .625rem .75rem; border: 2px solid var(--bad); border-radius: .375rem; background: var(--bad-soft); }
:focus-visible { outline: 3px solid var(--brand); outline-offset: 2px; }
aside :focus-visible { outline-color: var(--sandbox); }
details { border-top: 1px solid var(--line); margin-top: 1rem; padding-top: .75rem; }
summary { cursor: pointer; min-height: 1.5rem; }
`;
