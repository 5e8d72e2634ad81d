import { expect, test } from 'vitest';
import { hasTrace } from '../../../src/check/checks/refuse.js';

test.each([
  ['Node', 'Error: bad signature\n    at verify (/app/server.js:10:11)'],
  ['Python', 'Traceback (most recent call last):\n  File "app.py", line 3'],
  ['Java', 'java.lang.IllegalStateException: bad\n\tat shop.Hook.verify(Hook.java:12)'],
  ['Go', 'panic: bad\n\ngoroutine 18 [running]:'],
  ['Ruby', "app.rb:12:in `verify'"],
  ['PHP', '#0 /srv/hook.php(12): verify()'],
  ['.NET', '   at Shop.Hook.Verify(String text) in /src/Hook.cs:line 12'],
  ['Express', '<pre>Error: bad signature<br> &nbsp; &nbsp;at verify (/app/server.js:10:11)<br></pre>'],
  [
    'Django',
    '<p>You’re seeing this error because you have <code>DEBUG = True</code> in your Django settings file.</p>',
  ],
  ['Werkzeug', '<title>ValueError: bad // Werkzeug Debugger</title>'],
  ['Werkzeug without its title', '<h2 class="traceback">Traceback <em>(most recent call last)</em></h2>'],
  [
    'Sinatra',
    '<div class="location"><span class="filename">app.rb</span></div><code>hook.rb</code>: in <code>verify</code>',
  ],
  ['Rails', '<title>Action Controller: Exception caught</title>'],
  [
    'PHP with html_errors',
    '<b>Fatal error</b>:  Uncaught Error in <b>/srv/hook.php</b> on line <b>12</b><br />',
  ],
  ['Whoops', '<div class="Whoops container">'],
  [
    'Laravel',
    '<span>/srv/vendor/laravel/framework/src/Illuminate/Pipeline/Pipeline.php</span>:<span>167</span>',
  ],
  [
    'Laravel as JSON',
    '{"message":"bad","exception":"Error","file":"/srv/Hook.php","line":12,"trace":[{"file":"/srv/x.php"}]}',
  ],
  ['Symfony', '<div class="trace trace-as-html" id="trace-box-1">'],
  [
    'Tomcat',
    '<p><b>Exception</b></p><pre>java.lang.IllegalStateException: bad\n\tshop.Hook.verify(Hook.java:12)\n</pre>',
  ],
])('recognizes a stack trace of %s', (_, text) => {
  expect(hasTrace(text)).toBe(true);
});

test.each([
  '{"error":"invalid signature"}',
  '<h1>Bad Request</h1><p>The signature does not match at 12:30.</p>',
  '<!doctype html><title>400 Bad Request</title><hr><center>nginx</center>',
])('takes %s for no stack trace', (text) => {
  expect(hasTrace(text)).toBe(false);
});
