import { DESCRIPTIONS } from '../help/descriptions.js';
import { OWN_EXITS } from '../help/exit-statuses.js';
import { RELATED } from '../help/related.js';
import { OWN as ENVIRONMENT } from '../help/environment.js';
import { valuesAt } from '../completion/values.js';
import { COMMANDS, GROUPS } from './command-table.js';
import type { CommandSpec } from './command-spec.js';
import type { Command, CommandFolder } from './declaration.js';
import { Options } from './io.js';

/** The folder of a first word that still stands in the old tables. */
export function legacyFolder(word: string): () => Promise<{ readonly default: CommandFolder }> {
  const commands = COMMANDS.filter(({ name }) => name.split(' ')[0] === word).map(legacyCommand);
  const about = GROUPS[word];
  const folder: CommandFolder = {
    ...(about === undefined ? {} : { about }),
    commands,
    related: RELATED[word] ?? [],
  };
  return () => Promise.resolve({ default: folder });
}

function legacyCommand(spec: CommandSpec): Command {
  const { name, summary, examples, args = [], options = [] } = spec;
  const description = DESCRIPTIONS[name];
  const exits = OWN_EXITS[name];
  const environment = ENVIRONMENT[name];
  return {
    name,
    summary,
    examples,
    ...(description === undefined ? {} : { description }),
    ...(exits === undefined ? {} : { exits }),
    ...(environment === undefined ? {} : { environment }),
    related: RELATED[name.split(' ')[0] ?? ''] ?? [],
    args: Object.fromEntries(
      args.map((text) => {
        const word = text.replaceAll(/[<>[\].]/g, '');
        const isMany = text.includes('...');
        const form = text.startsWith('<') ? (isMany ? 'some' : 'required') : isMany ? 'rest' : 'optional';
        return [
          word,
          {
            form,
            read: (given: readonly string[]) => given,
            values: (typist, typed) => valuesAt({ command: name, name: word }, typist, typed),
          },
        ] as const;
      }),
    ),
    options: Object.fromEntries(
      options.map(({ flags, description, list }) => {
        const [flag = '', value] = flags.split(' ');
        const key = flag.slice(2).replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
        return [
          key,
          {
            description,
            ...(value === undefined ? {} : { placeholder: value.replaceAll(/[<>]/g, '') }),
            ...(list === true ? { repeats: true } : {}),
            read: (given: unknown) => given,
            values: (typist, typed) => valuesAt({ command: name, name: flags }, typist, typed),
          },
        ] as const;
      }),
    ),
    complete: (typed) => Promise.resolve(typed),
    invoke: async ({ io, args: words, given }) =>
      (await spec.load())({ io, args: words, options: new Options(given) }),
  };
}
