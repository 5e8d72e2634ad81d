import type { Io } from '../program/io.js';

/** The look of questions in the command's colours, because the library's own ignore `--no-color`. */
export function themeOf({ bold, cyan, dim, green, red }: Io['colour']) {
  const keysHelpTip = (keys: [key: string, action: string][]) =>
    dim(keys.map(([key, action]) => `${key} ${action}`).join(' • '));
  return {
    prefix: { idle: cyan('?'), done: green('✓') },
    spinner: { interval: 80, frames: ['?'] },
    icon: { checked: green('◉'), unchecked: '◯', cursor: '❯' },
    style: {
      answer: (text: string) => cyan(text),
      message: (text: string) => bold(text),
      error: (text: string) => red(text),
      defaultAnswer: (text: string) => dim(`(${text})`),
      description: (text: string) => dim(text),
      disabled: (text: string) => dim(text),
      help: (text: string) => dim(text),
      highlight: (text: string) => cyan(text),
      key: (text: string) => bold(text),
      searchTerm: (text: string) => cyan(text),
      keysHelpTip,
    },
  };
}
