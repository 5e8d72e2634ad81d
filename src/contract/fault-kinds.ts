/** The doors whose calls may go wrong. */
export const FAULT_DOORS = ['api', 'identity'] as const;

/** What may go wrong with a call to a door, and what each means. */
export const CALL_FAULTS = {
  status: 'answer with this status and our error body, and do nothing',
  delay: 'answer later',
  reset: 'reset the connection, and do nothing',
  empty: 'close the connection without an answer, and do nothing',
  cut: 'do it, and end the answer in the middle',
  'lose-response': 'do it, and reset the connection instead of answering',
  'rate-limit': 'answer 429 with Retry-After, and do nothing',
  'event-first': 'settle the new charge, and hold the answer until that event was delivered',
} as const;

/** What may go wrong with a delivery. */
export const DELIVERY_FAULTS = {
  answer: 'the receiver answers this status, without being asked',
  timeout: 'the receiver never answers',
  drop: 'the attempt never arrives',
  'lose-answer': 'the receiver gets it, and its answer is lost',
  delay: 'the attempt leaves later',
  slow: 'the receiver answers later',
  duplicate: 'the receiver gets it more than once',
  reorder: 'a later delivery overtakes it',
  'stale-expired': 'after pix.settled the receiver gets a pix.expired of the same charge',
  'wrong-signature': 'it is signed with another secret',
  'stale-timestamp': 'it is stamped, and signed, ten minutes ago',
  'two-signatures': 'a second signature, by an unknown secret, stands first',
} as const;

export type CallFaultAction = keyof typeof CALL_FAULTS;
export type DeliveryFaultAction = keyof typeof DELIVERY_FAULTS;
