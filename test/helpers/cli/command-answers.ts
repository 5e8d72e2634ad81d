import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { Schema } from './command-schemas.js';
import { ERROR, OWN } from './command-schemas.js';
import { documentAjv } from '../openapi/document-ajv.js';
import type { Document } from '../openapi/openapi-documents.js';
import { operationsOf, readDocuments } from '../openapi/openapi-documents.js';

/** The operations of the control API whose answers commands hand on as they are. */
const OPERATIONS: Readonly<Record<string, readonly string[]>> = {
  trigger: ['trigger'],
  env: ['getEnv'],
  status: ['getStatus'],
  wait: ['isReady', 'waitForIdle', 'waitForDeliveries'],
  agenda: ['getAgenda'],
  ledger: ['getLedger'],
  trace: ['getTrace'],
  'clock show': ['getClock'],
  'clock next': ['nextDue'],
  'clock freeze': ['freezeClock'],
  'clock speed': ['setSpeed'],
  'clock reset': ['resetClock'],
  assumptions: ['listAssumptions'],
  reset: ['reset'],
  'state import': ['importState'],
  'state save': ['takeSnapshot'],
  'state restore': ['restoreSnapshot'],
  'state compare': ['compareStates'],
  'state list': ['listSnapshots'],
  'state drop': ['dropSnapshot'],
  'charges list': ['listCharges'],
  'charges show': ['getCharge'],
  'charges create': ['createCharge'],
  'charges settle': ['settleCharge'],
  'charges fail': ['failCharge'],
  'charges expire': ['expireCharge'],
  'withdrawals list': ['listWithdrawals'],
  'withdrawals show': ['getWithdrawal'],
  'withdrawals create': ['createWithdrawal'],
  'withdrawals process': ['processWithdrawal'],
  'withdrawals settle': ['settleWithdrawal'],
  'withdrawals fail': ['failWithdrawal'],
  'withdrawals return': ['returnWithdrawal'],
  'events list': ['listEvents'],
  'events show': ['getEvent'],
  'events resend': ['resendEvent'],
  'deliveries list': ['listDeliveries'],
  'deliveries show': ['getDelivery'],
  'deliveries retry': ['retryDelivery', 'retryDeliveries'],
  'deliveries pause': ['pauseDeliveries'],
  'deliveries resume': ['resumeDeliveries'],
  'apps create': ['createApp'],
  'apps add-account': ['createAccount'],
  'endpoints list': ['listEndpoints'],
  'endpoints create': ['createEndpoint'],
  'endpoints rotate': ['rotateEndpointSecret'],
  'endpoints delete': ['deleteEndpoint'],
  'endpoints disable': ['disableEndpoint'],
  'endpoints enable': ['enableEndpoint'],
  'kyc create': ['createSession'],
  'kyc list': ['listSessions'],
  'kyc show': ['getSession'],
  'kyc decide': ['decideSession'],
  'faults add': ['addFault'],
  'faults list': ['listFaults'],
  'faults remove': ['removeFault', 'removeFaults'],
  'calls list': ['listCalls'],
  'calls show': ['getCall'],
  'calls replay': ['replayCall'],
};

/** Holds what commands print under `--json` to what it may be. */
export class CommandAnswers {
  readonly #ajv: Ajv2020;
  readonly #control: Document;

  private constructor(document: Document) {
    this.#control = document;
    this.#ajv = documentAjv({ control: document });
  }

  static async read(): Promise<CommandAnswers> {
    return new CommandAnswers((await readDocuments()).control);
  }

  /** What is wrong with the lines of a command; undefined when nothing is. */
  problemOf(command: string, stdout: string): string | undefined {
    const schemas = [...(OWN[command] ?? []), ...(OPERATIONS[command] ?? []).map((id) => this.#answerOf(id))];
    if (schemas.length === 0) return `No schema says what ${command} --json may print.`;
    const lines = stdout.trimEnd().split('\n');
    const problems = lines.flatMap((line, index) => this.#problemsOfLine(line, schemas, index, lines.length));
    return problems.length === 0 ? undefined : problems.join('\n');
  }

  /** What is wrong with the error of a command that failed. */
  problemOfError(stdout: string): string | undefined {
    return this.#problemsOfLine(stdout.trimEnd(), [ERROR], 0, 1)[0];
  }

  #problemsOfLine(line: string, schemas: readonly Schema[], index: number, count: number): string[] {
    if (!line.startsWith('{')) return [`Not a JSON object: ${line.slice(0, 200)}`];
    const value = JSON.parse(line) as { readonly type?: unknown };
    if (index === 0 && count > 1 && value.type !== 'ready') return [`The first line is not ready: ${line}`];
    const failures = schemas.map((schema) => {
      const validate = this.#ajv.compile(schema);
      return validate(value) ? undefined : this.#ajv.errorsText(validate.errors);
    });
    if (failures.includes(undefined)) return [];
    return [`${failures.join('\nor ')}\n${line.slice(0, 1_000)}`];
  }

  /** The schemas of an operation's good answers. */
  #answerOf(operationId: string): Schema {
    const found = operationsOf(this.#control).find(({ operation }) => operation.operationId === operationId);
    if (found === undefined) throw new Error(`No operation is called ${operationId}.`);
    const { path, method, operation } = found;
    const pointer = `#/paths/${escaped(path)}/${method.toLowerCase()}/responses`;
    const statuses = Object.keys(operation.responses).filter((status) => status.startsWith('2'));
    return {
      anyOf: statuses.map((status) => {
        return { $ref: `control.json${pointer}/${status}/content/${escaped('application/json')}/schema` };
      }),
    };
  }
}

function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
