import type { JunitCase } from '../../text/junit.js';
import { junitXml } from '../../text/junit.js';
import type { CheckResult, Report } from '../check.js';
import type { Strictness } from '../judge.js';
import { counts } from '../judge.js';

/** A report as JUnit XML: one test case for each check; what does not count is skipped, with the reason. */
export function checkJunit({ checks, durationMs }: Report, options: Strictness): string {
  const cases = checks.map((result) => caseOf(result, options));
  return junitXml('pix-sandbox check', cases, durationMs);
}

function caseOf(result: CheckResult, options: Strictness): JunitCase {
  const { id, verdict, sent, got, expected, likely, fix, link, reason, durationMs } = result;
  const own = { name: id, classname: `check.${id.split('.')[0]}`, durationMs };
  if (verdict === 'pass') return own;
  const message = reason ?? got;
  if (!counts(result, options)) return { ...own, skipped: `${verdict}: ${message}` };
  const facts = { sent, got, expected, likely, fix: `${fix} (${link})` };
  const text = Object.entries(facts).map(([name, value]) => `${name}: ${value}`);
  return { ...own, failure: { message, text: text.join('\n') } };
}
