import { escaped } from '../text/junit.js';
import { REVIEW_BY_HAND } from './catalogue.js';
import type { Result, Report } from './check.js';
import { failuresIn, isUnobserved, toneOf } from './judge.js';

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; }
details { border-top: 1px solid light-dark(#ddd, #444); padding: .4rem 0; }
summary { cursor: pointer; display: grid; grid-template-columns: 5.5rem 14rem 1fr; gap: .5rem; }
dl { display: grid; grid-template-columns: 6rem 1fr; gap: .2rem .5rem; margin: .5rem 0 .5rem 1rem; }
dt { color: light-dark(#666, #aaa); }
dd { margin: 0; overflow-wrap: anywhere; }
.pass { color: light-dark(#16703a, #5fd38d); }
.fail { color: light-dark(#b3261e, #ff8a80); font-weight: 600; }
.warn { color: light-dark(#8a5a00, #ffc14d); }
.unknown, .gated { color: light-dark(#666, #aaa); }
@media (max-width: 40rem) { summary { grid-template-columns: 1fr; gap: 0; } }
`;

/** A report as one HTML file that needs nothing else; the date is shown as given. */
export function checkHtml(report: Report, date: string): string {
  const { target, headline, notes } = report;
  const title = `Webhook check of ${target}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<p class="${toneOf(report)}">${escaped(headline)}</p>
${sectionsOf(report).join('\n')}
${notes.map((note) => `<p>${escaped(note)}</p>`).join('\n')}
<p>To review by hand: ${escaped(REVIEW_BY_HAND)}.</p>
<p>${escaped(date)}</p>
</body>
</html>
`;
}

/** Returns the failures, what was not observed, what passed, and what does not apply. */
function sectionsOf({ checks }: Report): string[] {
  const sections: readonly (readonly [string, readonly Result[]])[] = [
    ['Failures', failuresIn(checks)],
    ['Not observed', checks.filter(isUnobserved)],
    ['Passed', checks.filter(({ verdict }) => verdict === 'pass')],
    ['Not checked', checks.filter(({ applies }) => !applies)],
  ];
  return sections
    .filter(([, results]) => results.length > 0)
    .map(([title, results]) => `<h2>${title}</h2>\n${results.map(detailsOf).join('\n')}`);
}

function detailsOf(result: Result): string {
  const { id, level, verdict, clause, link, sent, got, expected, likely, fix, reason, durationMs } = result;
  const failed = verdict === 'fail' || verdict === 'warn';
  const facts: readonly (readonly [string, string | null])[] = [
    ['why', reason],
    ['level', level],
    ['sent', sent],
    ['got', got],
    ['expected', expected],
    ['likely', failed ? likely : null],
    ['fix', failed ? fix : null],
    ['written in', link],
    ['took', `${durationMs} ms`],
  ];
  const list = facts
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `<dt>${name}</dt><dd>${escaped(value ?? '')}</dd>`);
  const head =
    '<span ' +
    `class="${verdict}">${verdict}</span><b>${escaped(id)}</b><span>${escaped(expected)} ` +
    `(${escaped(clause)})</span>`;
  return `<details${failed ? ' open' : ''}><summary>${head}</summary><dl>${list.join('')}</dl></details>`;
}
