/** What a page says beyond the summary of its command, where that is not enough. */
export const DESCRIPTIONS: Readonly<Record<string, string>> = {
  start:
    'Everything is in memory unless --data keeps it. It prints the environment block for your application, shows each call to the service on stderr, and runs until Ctrl-C; a second Ctrl-C leaves at once. On a terminal, single keys do what is needed most; ? shows them. On loopback the credentials are fixed and published; on another --host they are drawn, and the control API needs the token that is printed.',
  stop: 'The process that the run file names is asked to leave, and this command ends when it has left. With --url, a sandbox on this machine that answers there.',
  listen:
    'Each --forward-to is a listener of its own. The bytes and headers of an attempt are forwarded as they are, and the answer of your application decides whether the delivery is retried. Runs until Ctrl-C, and goes on when the sandbox comes back. With --json each attempt is a line that `verify --delivery` takes.',
  exec: 'The command gets the environment block. When it has ended, deliveries get up to 15 s to end, too. Its stdout is its own; under --json it goes to stderr, and stdout carries one object.',
  run: 'Against the running sandbox, or else each in a fresh one. Names without a folder and an ending are scenarios that come with the package. A file that is wrong is refused before anything runs.',
  verify:
    'Which secret and which signature matched, and how old the message is. When none does, what may have been done differently is tried, and what was is named, with what to change. Secrets are shown shortened.',
  'sign webhook': 'Prints headers that `verify --headers` and curl take, or with --curl the whole command.',
  'sign request':
    'The headers are on stdout; the string that was signed, part by part, is on stderr. With --curl the whole command, which holds the bearer token.',
  'fixtures export': 'Files with other content are left alone unless --force is given.',
  init: 'On a terminal it asks what is not given; elsewhere it needs --yes. Writes sandbox.config.json, .env.test with the published values for an application, and a first test. What is there already is kept: a file as it is, and in .env.test every name that it has. Nothing is added to package.json.',
  config:
    'Flags win over the environment, the environment over sandbox.config.json, and that over the user’s own file. Give the flags of `start`, `listen` or `exec` to see what they would run with. Secrets are shown shortened.',
  completion: 'Put it where your shell looks, and open a new one.',
  doctor:
    'What is wrong is said with what to do. It starts a sandbox of its own on a free port for a moment.',
};
