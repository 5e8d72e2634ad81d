import type { CheckEntry } from '../check.js';

/** How a receiver answers. */
export const ANSWERS: readonly CheckEntry[] = [
  {
    id: 'time.limit',
    level: 'must',
    clause: '§6 rule 3',
    sends: 'twenty events at once',
    passes: '2xx for each within 10 s',
    likely: 'the work is done before the answer',
    fix: 'store the event, answer, and work afterwards',
    about:
      'An attempt that takes ten seconds has failed (rule 3), and the event comes again, on top of the work that made it slow.',
    isAlone: true,
  },
  {
    id: 'time.advice',
    level: 'should',
    clause: '§6 rule 4',
    sends: 'twenty events at once',
    passes: '95 % of the answers within 2 s',
    likely: 'the work is done before the answer',
    fix: 'store the event, answer, and work afterwards',
    about: 'Rule 4 recommends two seconds, which leaves room for the days on which everything is slower.',
    isAlone: true,
    gates: { 'time.limit': 'not even 10 s are kept' },
  },
  {
    id: 'answer.redirect',
    level: 'must',
    clause: '§6 rule 3',
    sends: 'a right event',
    passes: 'no 3xx',
    likely: 'the URL lacks or has a final slash, or a login stands before it',
    fix: 'register the exact URL, and exempt it from the login',
    about: 'Redirects are not followed, so a redirected delivery has failed.',
  },
  {
    id: 'answer.get',
    level: 'should',
    clause: 'RFC 9110 §9.3.1',
    sends: 'GET with the headers and body of a right event',
    passes: 'no effect',
    likely: 'the route takes any method',
    fix: 'take POST only',
    about: 'GET is safe by definition: link previews, crawlers and prefetching send it without being asked.',
  },
];
