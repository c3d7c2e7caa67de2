import type { DoorEvents, EventBus, EventName } from '../../base/index.js';

/** What needs a person's eye. Calls are not among it: a Worker's platform counts requests by itself. */
const LEVELS = {
  'upstream.lost': 'error',
  'handler.failed': 'error',
  'server.warning': 'warn',
  'tool.excluded': 'warn',
  'output.violation': 'warn',
  'door.warning': 'warn',
} as const satisfies Partial<Record<EventName, 'error' | 'warn'>>;

/** Writes events to the console, which is where a Worker's log is: one JSON object a line, as `doorward serve` writes them. */
export function logEvents(events: EventBus): void {
  for (const name of Object.keys(LEVELS) as (keyof typeof LEVELS)[]) {
    events.on(name, (event: DoorEvents[typeof name]) => {
      console[LEVELS[name]](JSON.stringify({ level: LEVELS[name], event: name, ...event }));
    });
  }
}
