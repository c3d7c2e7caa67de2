/** The offer of offer.mjs, served with version 1 of the official SDK. */
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  ListResourcesRequestSchema,
  McpError,
  RootsListChangedNotificationSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { infoOf, offer, optionsOf } from './offer.mjs';

const LABEL = 'v1';
const SCHEMAS = {
  'resources/list': ListResourcesRequestSchema,
  'resources/subscribe': SubscribeRequestSchema,
  'resources/unsubscribe': UnsubscribeRequestSchema,
  'notifications/roots/list_changed': RootsListChangedNotificationSchema,
};

const server = new McpServer(infoOf(LABEL), optionsOf(LABEL));
offer({
  label: LABEL,
  server,
  ResourceTemplate,
  completable,
  makeError: (code, message, data) => new McpError(code, message, data),
  onRequest: (method, handler) => server.server.setRequestHandler(SCHEMAS[method], ({ params }) => handler(params)),
  onNotification: (method, handler) => server.server.setNotificationHandler(SCHEMAS[method], handler),
  contextOf: (extra) => ({
    meta: extra._meta,
    signal: extra.signal,
    notify: (message) => extra.sendNotification(message),
  }),
});
await server.connect(new StdioServerTransport());
