import type { EntryView, ReceiverView } from '../../http/control/schema.js';
import { attemptsOf, statesOf } from '../model/rows.js';
import type { Step, Stories } from '../model/stories.js';

/** The first steps, in their order. */
export const STEPS = ['receiver', 'pay', 'deadLetter', 'retry'] as const;

export type StepName = (typeof STEPS)[number];

/** What is to be pressed. */
export type Press = 'turnOn' | 'pay' | 'failThrice' | 'advance' | 'retry';

/** How far someone is, as the timeline tells. */
export interface Progress {
  /** The steps that were taken, each with the delivery that shows it, if any. */
  readonly done: ReadonlyMap<StepName, Course | undefined>;
  /** What to press now; undefined at the end. */
  readonly next: Press | undefined;
}

/** What became of one delivery. */
export interface Course {
  readonly id: string;
  /** How each attempt ended. */
  readonly statuses: readonly string[];
  readonly state: string;
  readonly wasDeadLetter: boolean;
}

export function progressOf(stories: Stories, receiver: ReceiverView): Progress {
  const courses = Array.from(stories.deliveries, (delivery) => courseOf(stories, delivery));
  const done = new Map<StepName, Course | undefined>();
  const take = (name: StepName, test: (course: Course) => boolean) => {
    const found = courses.find(test);
    if (found !== undefined) done.set(name, found);
  };
  if (receiver.on || courses.length > 0) done.set('receiver', undefined);
  take('pay', ({ statuses, state }) => statuses.length > 0 && state !== 'PENDING');
  take('deadLetter', ({ wasDeadLetter }) => wasDeadLetter);
  take('retry', ({ wasDeadLetter, state }) => wasDeadLetter && state === 'DELIVERED');
  const isPending = courses.some(({ state }) => state === 'PENDING');
  return { done, next: nextOf(done, receiver, isPending) };
}

/** The dead letter that is to be retried. */
export function deadLetterOf({ done }: Progress): string | undefined {
  const course = done.get('deadLetter');
  return course?.state === 'FAILED' ? course.id : undefined;
}

function nextOf(done: Progress['done'], { on, answer }: ReceiverView, isPending: boolean): Press | undefined {
  if (!on) return done.has('retry') ? undefined : 'turnOn';
  if (!done.has('pay')) return isPending ? 'advance' : 'pay';
  if (!done.has('deadLetter')) {
    if (isPending) return 'advance';
    return answer === 200 ? 'failThrice' : 'pay';
  }
  if (!done.has('retry')) return 'retry';
  return undefined;
}

/** By what happened to the delivery, so that each is made again only when it changes. */
const made = new WeakMap<readonly EntryView[], Course>();

function courseOf(stories: Stories, delivery: Step): Course {
  const entries = stories.courseFrom(delivery.entry);
  let course = made.get(entries);
  if (course === undefined) {
    const states = statesOf(stories, delivery);
    course = {
      id: delivery.entry.id ?? '',
      statuses: attemptsOf(stories, delivery).map(({ status, error }) => String(status ?? error ?? '')),
      state: states.at(-1) ?? '',
      wasDeadLetter: states.includes('FAILED'),
    };
    made.set(entries, course);
  }
  return course;
}
