/** The HTTP door, loaded when it is served: a door on stdio starts without it. */
export function loadHttpDoor(): Promise<typeof import('./http/index.js')> {
  return import('./http/index.js');
}
