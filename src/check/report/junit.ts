import type { JunitCase } from '../../text/junit.js';
import { junitXml } from '../../text/junit.js';
import type { CheckResult, Report } from '../check.js';
import type { ExitPolicy } from '../judge.js';
import { decisiveIn, isUnobserved, meetsRequirement } from '../judge.js';

/**
 * Writes a report as JUnit XML, one test case for each check. What does not decide the exit code is skipped with its reason; an
 * unobserved check that does is a failure of its own type.
 */
export function checkJunit(report: Report, policy: ExitPolicy): string {
  const { checks, durationMs, headline } = report;
  const decisive = new Set(decisiveIn(checks, policy));
  const cases = checks.map((result) => caseOf(result, decisive.has(result)));
  const message = 'Effects are required, but were not checked.';
  const scope: JunitCase = {
    name: 'scope',
    classname: 'check',
    durationMs: 0,
    failure: { message, text: headline, type: 'not-observed' },
  };
  const all = meetsRequirement(report, policy) ? cases : [...cases, scope];
  return junitXml('pix-sandbox check', all, durationMs);
}

function caseOf(result: CheckResult, isDecisive: boolean): JunitCase {
  const { id, verdict, sent, got, expected, likely, fix, link, reason, durationMs } = result;
  const own = { name: id, classname: `check.${id.split('.')[0]}`, durationMs };
  if (verdict === 'pass') return own;
  const message = reason ?? got;
  if (!isDecisive) return { ...own, skipped: `${verdict}: ${message}` };
  const facts = { sent, got, expected, likely, fix: `${fix} (${link})` };
  const text = Object.entries(facts)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
  if (!isUnobserved(result)) return { ...own, failure: { message, text } };
  return { ...own, failure: { message, text: message, type: 'not-observed' } };
}
