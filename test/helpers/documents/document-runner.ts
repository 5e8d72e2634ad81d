import type { Block, Step } from './document-blocks.js';
import { blocksOf, stepsOf, withContents } from './document-blocks.js';
import { corrected, isAsShown } from './document-output.js';
import type { RunningCommand } from './document-terminal.js';
import { Terminal } from './document-terminal.js';

/** Real time for the last lines of commands that keep running. */
const LAST_LINES_MS = 5_000;

/** What a document shows of a command, and what came. */
export interface Difference {
  readonly line: number;
  readonly command: string;
  readonly shown: readonly string[];
  readonly came: readonly string[];
}

interface Told {
  readonly differences: readonly Difference[];
  /** The document with the outputs that came. */
  readonly corrected: string;
}

interface Ran {
  readonly block: Block;
  readonly step: Step;
  readonly came: () => readonly string[];
}

/**
 * Types the transcripts of a document, from its first to its last, in a folder that holds copies of `parts`.
 * What keeps running does so until the document ends or another takes its place, and what it says is compared then: `start`,
 * `listen`, and the last command of a block tagged `console running`, which is the reader's application.
 * A command that fails is followed by `echo $?`. Code that names its file (```js order.mjs) is saved there.
 */
export async function runDocument(
  markdown: string,
  parts: readonly string[] = [],
  lastLinesMs = LAST_LINES_MS,
): Promise<Told> {
  await using terminal = await Terminal.open(parts);
  const ran: Ran[] = [];
  const waiting = new Map<string, { command: RunningCommand; done: () => void; shown: readonly string[] }>();
  const settle = async (names: readonly string[]) => {
    for (const name of names) {
      const { command, done, shown } = waiting.get(name) ?? {};
      await command?.until((lines) => isAsShown(shown ?? [], lines), lastLinesMs);
      done?.();
      waiting.delete(name);
    }
  };
  for (const block of blocksOf(markdown)) {
    if (block.file !== undefined) terminal.save(block.file, block.content);
    if (block.tag !== 'console') continue;
    const steps = stepsOf(block);
    for (const [index, step] of steps.entries()) {
      const name = runningName(step.command, block.isRunning && index === steps.length - 1);
      if (name === undefined) {
        const came = await terminal.run(step.command);
        ran.push({ block, step, came: () => came });
        refuseUnsaidFailure(terminal.exitCode, step, steps[index + 1], block);
        continue;
      }
      const inTheWay = name === 'start' ? ['listen', 'start'] : [name];
      await settle(inTheWay);
      await terminal.leave(inTheWay);
      const command = await terminal.start(name, step.command);
      let last: readonly string[] | undefined;
      const done = () => {
        last = command.lines();
      };
      waiting.set(name, { command, done, shown: step.shown });
      ran.push({ block, step, came: () => last ?? command.lines() });
    }
  }
  await settle([...waiting.keys()]);
  return told(markdown, ran);
}

/** What names a command that keeps running; undefined for one that ends. */
function runningName(command: string, isLastOfRunning: boolean): string | undefined {
  const own = /^(?:npx )?(?:pix-)?sandbox (start|listen)\b(?!.*--detach)/.exec(command)?.[1];
  return own ?? (isLastOfRunning ? 'application' : undefined);
}

/** A reader who sees no word about it takes it for granted that a command did what it should. */
function refuseUnsaidFailure(exitCode: number, step: Step, next: Step | undefined, { line }: Block): void {
  if (exitCode === 0 || next?.command === 'echo $?') return;
  throw new Error(`Line ${line}: ${step.command} ended with ${exitCode}; expected \`$ echo $?\` after it.`);
}

function told(markdown: string, ran: readonly Ran[]): Told {
  const differences = ran
    .map(({ block, step, came }) => ({
      line: block.line,
      command: step.command,
      shown: step.shown,
      came: came(),
    }))
    .filter(({ shown, came }) => !isAsShown(shown, came));
  const contents = new Map<Block, string[]>();
  for (const { block, step, came } of ran) {
    const lines = contents.get(block) ?? [];
    lines.push(...step.written, ...corrected(step.shown, came()));
    contents.set(block, lines);
  }
  return { differences, corrected: withContents(markdown, contents) };
}
