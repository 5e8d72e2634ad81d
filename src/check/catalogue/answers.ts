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
  {
    id: 'answer.load',
    level: 'should',
    clause: '§6 rule 3',
    sends: 'eight checks at the same time',
    passes: 'no response fails that succeeds when the same is sent alone',
    likely: 'a lock, a connection pool or a database gives up under concurrent requests',
    fix: 'let requests wait for the lock or connection, or make the transaction shorter',
    about:
      'Deliveries of different orders arrive at the same time. A 500 under load is retried by the service, so nothing is lost, but the load grows with every retry.',
  },
  {
    id: 'answer.alive',
    level: 'must',
    clause: '§6 rule 3',
    sends: 'a valid event after each check that failed, and at the end',
    passes: '2xx, as at the start',
    likely: 'an exception outside of a request ends the process',
    fix: 'catch what the handler throws, also in callbacks and background work',
    about:
      'A receiver that stops during the checks has a bug that any sender can trigger. With --restart the checks that were in flight are tried one by one.',
  },
];
