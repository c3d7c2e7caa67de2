/** RFC 5424 severities, least severe first. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export function isLogLevel(level: unknown): level is LogLevel {
  return (LOG_LEVELS as readonly unknown[]).includes(level);
}
