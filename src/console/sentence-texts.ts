import { createTextTable } from '../text/i18n.js';

const WINDOW_WORDS: Readonly<Record<string, string>> = {
  fault: 'falha',
  starts: 'começa',
  ends: 'termina',
  started: 'começou',
  ended: 'terminou',
};

/** Translates e.g. `fault drop ended; it fired on 1 of 2 matches`, without the counts. */
function translateWindow(title: string): [english: string, portuguese: string] {
  const [head = ''] = title.split(';');
  return [head, head.replaceAll(/\w+/g, (word) => WINDOW_WORDS[word] ?? word)];
}

/** Timeline entries as sentences: `English | Portuguese`. A payment code follows each command. */
export const SENTENCE_TEXTS = createTextTable({
  commands: {
    trigger: 'Trigger | Disparar',
    'app.create': 'Create application | Criar aplicação',
    'account.create': 'Create account | Criar conta',
    'charge.create': 'Create charge | Criar cobrança',
    'charge.settle': 'Pay charge | Pagar cobrança',
    'charge.fail': 'Fail charge | Recusar cobrança',
    'charge.expire': 'Expire charge | Expirar cobrança',
    'withdrawal.create': 'Create withdrawal | Criar saque',
    'withdrawal.process': 'Process withdrawal | Processar saque',
    'withdrawal.settle': 'Pay out withdrawal | Liquidar saque',
    'withdrawal.fail': 'Fail withdrawal | Recusar saque',
    'withdrawal.return': 'Return withdrawal | Devolver saque',
    'endpoint.create': 'Add endpoint | Adicionar endpoint',
    'endpoint.rotate': 'Rotate secret | Rotacionar segredo',
    'endpoint.disable': 'Disable endpoint | Desativar endpoint',
    'endpoint.enable': 'Enable endpoint | Ativar endpoint',
    'endpoint.delete': 'Delete endpoint | Excluir endpoint',
    'event.resend': 'Resend event | Reenviar evento',
    'delivery.retry': 'Retry delivery | Tentar a entrega novamente',
    'deliveries.retry': 'Retry deliveries | Tentar as entregas novamente',
    'deliveries.pause': 'Pause deliveries | Pausar entregas',
    'deliveries.resume': 'Resume deliveries | Retomar entregas',
    'session.create': 'Create identity session | Criar sessão de identidade',
    'session.begin': 'Begin identity session | Iniciar sessão de identidade',
    'session.decide': 'Decide identity session | Decidir sessão de identidade',
    'origin.add': 'Register origin | Registrar origem',
    'fault.add': 'Add fault | Adicionar falha',
    'fault.remove': 'Remove fault | Remover falha',
    'incident.start': 'Start incident | Iniciar incidente',
    'incident.stop': 'Stop incident | Encerrar incidente',
  },
  changes: {
    charge: {
      PENDING: (code: string) => [`Charge ${code} was created`, `Cobrança ${code} criada`],
      SETTLED: (code: string) => [`Charge ${code} was paid`, `Cobrança ${code} paga`],
      EXPIRED: (code: string) => [`Charge ${code} expired`, `Cobrança ${code} expirada`],
      FAILED: (code: string) => [`Charge ${code} failed`, `Cobrança ${code} recusada`],
    },
    withdrawal: {
      PENDING: (code: string) => [`Withdrawal ${code} was created`, `Saque ${code} criado`],
      PROCESSING: (code: string) => [`Withdrawal ${code} is processing`, `Saque ${code} em processamento`],
      SETTLED: (code: string) => [`Withdrawal ${code} was paid out`, `Saque ${code} liquidado`],
      FAILED: (code: string) => [`Withdrawal ${code} failed`, `Saque ${code} recusado`],
    },
    session: {
      CREATED: (id: string) => [`Session ${id} was created`, `Sessão ${id} criada`],
      IN_PROGRESS: (id: string) => [`Session ${id} began`, `Sessão ${id} iniciada`],
      approved: (id: string) => [`Session ${id} was approved`, `Sessão ${id} aprovada`],
      rejected: (id: string) => [`Session ${id} was rejected`, `Sessão ${id} rejeitada`],
      under_review: (id: string) => [`Session ${id} is under review`, `Sessão ${id} em análise`],
      cancelled: (id: string) => [`Session ${id} was cancelled`, `Sessão ${id} cancelada`],
      expired: (id: string) => [`Session ${id} expired`, `Sessão ${id} expirada`],
    },
  },
  endpoint: {
    created: 'added | adicionado',
    connected: 'connected | conectado',
    away: 'disconnected | desconectado',
    rotated: 'has a new secret | tem um segredo novo',
    disabled: 'disabled | desativado',
    enabled: 'enabled | ativado',
    deleted: 'deleted | excluído',
  },
  states: {
    begun: 'Sandbox started | Sandbox iniciado',
    started: 'Sandbox started | Sandbox iniciado',
    'started again': 'Sandbox started again | Sandbox iniciado novamente',
    reset: 'Sandbox reset | Sandbox redefinido',
    restored: 'Restored state | Estado restaurado',
    imported: 'Imported state | Estado importado',
    saved: 'Saved state | Estado salvo',
    dropped: 'Deleted state | Estado excluído',
    'not persisted': 'Changes are not saved | As alterações não estão sendo salvas',
    'persisted again': 'Changes are saved again | As alterações voltaram a ser salvas',
  },
  /** Scheduled items by kind, from the API's English title and the name of the row. */
  due: {
    'fault.start': translateWindow,
    'fault.end': translateWindow,
    'charge.settle': (title: string, name: string) => [title, `cobrança ${name} é paga`],
    'charge.expire': (title: string, name: string) => [title, `cobrança ${name} expira`],
    'session.decide': (title: string, name: string) => [title, `sessão ${name} mostra a decisão`],
    'session.lapse': (title: string, name: string) => [title, `sessão ${name} expira`],
    'delivery.attempt': (title: string) => [
      title,
      title.replace('attempt', 'tentativa').replace(' of ', ' de ').replace(' to ', ' para '),
    ],
  },
  faultFired: (faults: string, attempt: number | undefined) =>
    attempt === undefined
      ? [`Fault ${faults} fired`, `Falha ${faults} disparou`]
      : [`Fault ${faults} fired on attempt ${attempt}`, `Falha ${faults} disparou na tentativa ${attempt}`],
  faultSent: (type: string, target: string) => [
    `A fault sent ${type} → ${target}`,
    `Uma falha enviou ${type} → ${target}`,
  ],
  rate: (rate: number) =>
    rate === 0
      ? ['Clock frozen', 'Relógio congelado']
      : rate === 1
        ? ['Clock runs in real time', 'Relógio em tempo real']
        : [`Clock runs at ${rate}×`, `Relógio a ${rate}×`],
  clockMoved: (instant: string) => [`Clock advanced to ${instant}`, `Relógio avançado para ${instant}`],
});
