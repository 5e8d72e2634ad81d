import type { SandboxError } from '../../client/control.js';
import type { Console } from '../model/console.js';
import { ControlToken } from '../model/control-token.js';

/** Shown instead of everything where the sandbox asks for a control token. */
export function TokenForm({ model, problem }: { model: Console; problem: SandboxError }) {
  const { token } = model.words;
  const send = (event: Event) => {
    event.preventDefault();
    const field = (event.target as HTMLFormElement).elements.namedItem('token');
    new ControlToken(sessionStorage).store((field as HTMLInputElement).value);
    location.reload();
  };
  return (
    <main class="alone">
      <h1>{token.title}</h1>
      <p>{token.text}</p>
      <p class="problem">{problem.body.message}</p>
      <form onSubmit={send}>
        <label>
          {token.label} <input name="token" type="password" autocomplete="off" required />
        </label>
        <button type="submit">{token.send}</button>
      </form>
    </main>
  );
}
