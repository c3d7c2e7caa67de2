import { DoorError } from '../../base/index.js';

/**
 * Stands in for the streams that are open as long as their server is there, in bundles for Workers: no request of theirs lives that
 * long, and their transport asks for neither.
 */
class NoStream {
  constructor() {
    throw new DoorError('INTERNAL', 'a Worker keeps no stream open');
  }
}

export { NoStream as ListenStream, NoStream as SseChannel };
