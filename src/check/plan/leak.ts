import type { Plan, Right, Variant } from '../bench.js';
import { otherSecret, sendEach, signedAs } from '../bench.js';
import { signatureOf } from '../send.js';
import { answersText, isRefused } from '../response.js';

/** Stack traces as text, of Node, Python, Java and Kotlin, Go, Ruby, PHP and .NET. */
const TEXT_TRACES = [
  /^\s{1,8}at .{1,300}:\d+/m,
  /Traceback \(most recent call last\)/,
  /\(\w{1,100}\.(?:java|kt):\d+\)/,
  /goroutine \d+ \[/,
  /\.rb:\d+:in /,
  /\.php\(\d+\)/,
  /^\s{1,8}at .{1,300} in .{1,300}:line \d+/m,
];

/** Error pages: of Express, Django, Werkzeug, Rack and Sinatra, Rails, PHP, Whoops, Laravel and Symfony. */
const PAGE_TRACES = [
  /<br> &nbsp; &nbsp;at /,
  /<code>DEBUG = True<\/code>/,
  /Werkzeug Debugger|Traceback <em>\(most recent call last\)/,
  /\.rb<\/code>: in|Rack::ShowExceptions/,
  /Action Controller: Exception caught|Application Trace/,
  /\.php<\/b> on line <b>/,
  /Whoops\\|class="Whoops|Whoops! There was an error/,
  /vendor\/laravel\/framework|"trace":\[\{"file"/,
  /id="trace-box-\d|Symfony Exception/,
];

/** Tells whether the body of a response contains a stack trace, as text or as the error page of a framework. */
export function hasTrace(text: string): boolean {
  return [...TEXT_TRACES, ...PAGE_TRACES].some((trace) => trace.test(text));
}

/** Looks for secrets and stack traces in the responses to invalid signatures. */
export const leak: Plan = async (bench) => {
  await bench.control();
  const sent = 'a pix.settled whose signature is by another secret, and one whose signature is garbage';
  const charge = await bench.charge();
  const expected: string[] = [];
  const forge = (signature: (right: Right) => string): Variant => {
    return (right) => {
      const own = signatureOf(right);
      expected.push(own, Buffer.from(own, 'base64').toString('hex'));
      return { ...right, signature: signature(right) };
    };
  };
  const variants = [forge((right) => signedAs(right, { secret: otherSecret() })), forge(() => 'v1,%%%')];
  const answers = await sendEach(bench, charge, { variants });
  const { secret } = bench.kit.options;
  const texts = answers.map(
    ({ headers, body }) => `${headers.flat().join('\n')}\n${Buffer.from(body).toString('utf8')}`,
  );
  const leaked = [
    ...(texts.some((text) => expected.some((own) => text.includes(own)))
      ? ['the signature that it expected']
      : []),
    ...(texts.some((text) => text.includes(secret.slice('whsec_'.length))) ? ['its secret'] : []),
    ...(texts.some(hasTrace) ? ['a stack trace'] : []),
  ];
  const got = answersText(answers);
  if (leaked.length > 0) return { outcome: 'fails', sent, got: `${got}, with ${leaked.join(' and ')}` };
  if (answers.some(isRefused)) return { outcome: 'holds', sent, got };
  return {
    outcome: 'unknown',
    sent,
    got,
    reason: 'It did not refuse an invalid signature with 4xx, so there is no response to look at.',
  };
};
