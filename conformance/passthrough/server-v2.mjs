/**
 * The offer of offer.mjs, served with version 2 of the official SDK. Its serveStdio takes the era from the opening
 * message: a client that sends `initialize` is served 2025-11-25 or the revision it asked for.
 */
import { completable, McpServer, ProtocolError, ResourceTemplate } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { infoOf, offer, optionsOf } from './offer.mjs';

const LABEL = 'v2';

serveStdio(() => {
  const server = new McpServer(infoOf(LABEL), optionsOf(LABEL));
  offer({
    label: LABEL,
    server,
    ResourceTemplate,
    completable,
    makeError: (code, message, data) => new ProtocolError(code, message, data),
    onRequest: (method, handler) => server.server.setRequestHandler(method, ({ params }) => handler(params)),
    onNotification: (method, handler) => server.server.setNotificationHandler(method, handler),
    contextOf: ({ mcpReq }) => ({
      meta: mcpReq._meta,
      signal: mcpReq.signal,
      notify: (message) => mcpReq.notify(message),
    }),
  });
  return server;
});
