/**
 * What becomes of each of the 130 cases: it runs (and in which file), it waits for a later issue, or it is a gap that
 * the design decided. A case without a row fails dispositions.test.ts, so none is forgotten in silence.
 */
export type Disposition =
  | { readonly runs: string; readonly except?: readonly string[] }
  | { readonly later: number; readonly why: string }
  | { readonly gap: string };

const schema = { runs: 'schema.test.ts' };
const tools = { runs: 'tools.test.ts' };
const call = { runs: 'call.test.ts' };
const wire = { runs: 'wire.test.ts' };
const naming = { runs: 'naming.test.ts' };
const processes = { runs: 'process.test.ts' };
const schemaPerf = { runs: '../schema-cases.test.ts' };
const config = { runs: 'config.test.ts' };
const httpDoor = { runs: 'http-door.test.ts' };
const asking = { runs: 'asking.test.ts' };
const trouble = { runs: 'trouble.test.ts' };
const oauth = { runs: 'oauth.test.ts' };
const rounds = { runs: 'rounds.test.ts' };
const release = { runs: 'release.test.ts' };

const later = (issue: number, why: string): Disposition => ({ later: issue, why });
const NO_COERCION = 'variants with options.coerce: no coercion of arguments (design.md section 4b)';
const NO_PRUNING = 'variants with options.prune_null_optionals: no pruning of arguments (design.md section 4b)';

export const DISPOSITIONS: Readonly<Record<string, Disposition>> = {
  a02: schema,
  a03: schema,
  a05: schema,
  a06: schema,
  a07: tools,
  a09: {
    ...tools,
    except: ['the opt-in repair flag: excluded is the answer, nothing is invented (design.md section 4)'],
  },
  a10: tools,
  a11: tools,
  a12: schema,
  a13: schema,
  a15: tools,
  a16: tools,
  a18: schema,
  a19: schema,
  a21: schema,
  a22: tools,
  a23: schema,
  a24: schema,
  a25: schema,
  a26: schema,
  a27: schema,
  a28: schemaPerf,
  a29: schemaPerf,
  a30: tools,
  a31: wire,
  a33: {
    ...wire,
    except: [
      'dropping outputSchema from our own list after the first miss: what is advertised does not depend on calls',
    ],
  },
  a36: { ...schema, except: ['codegen_type: types come with issue 7'] },
  a38: schema,
  a41: schemaPerf,
  b02: { ...call, except: [NO_COERCION] },
  b03: { ...call, except: [NO_COERCION] },
  b04: { ...call, except: ['the option coerce itself; the outcome is ours by default'] },
  b05: call,
  b06: call,
  b07: call,
  b08: { ...call, except: [NO_PRUNING] },
  b10: call,
  b13: call,
  b15: wire,
  b16: schema,
  b17: schema,
  b19: call,
  b20: call,
  b22: { runs: 'http-upstream.test.ts' },
  b24: httpDoor,
  b25: { runs: 'command.test.ts' },
  c03: {
    ...trouble,
    except: ['reasons of HTTP upstreams (401, DNS): issue 5; until then each says that HTTP comes later'],
  },
  c04: naming,
  c05: naming,
  c06: naming,
  c07: naming,
  c08: naming,
  c10: wire,
  c11: wire,
  c12: wire,
  c13: { ...wire, except: ['subscriptions/listen and GET streams: issue 5'] },
  c14: trouble,
  c15: wire,
  c16: httpDoor,
  c17: processes,
  c18: { ...processes, except: ['closed stderr alone ends nothing: callers may drop the log and go on'] },
  c19: trouble,
  c22: { runs: 'http-upstream.test.ts' },
  c23: httpDoor,
  c24: wire,
  c25: wire,
  c28: wire,
  c29: processes,
  c30: { runs: 'http-upstream.test.ts' },
  c31: { ...wire, except: ['server/discover: issue 5'] },
  c32: wire,
  c33: { ...trouble, except: ['other clients of the same process: HTTP, issue 5'] },
  c35: wire,
  c36: { runs: '../callers/callers.test.ts' },
  c37: wire,
  c38: wire,
  c40: wire,
  c42: { runs: 'http-upstream.test.ts' },
  c43: wire,
  c44: wire,
  c45: { ...httpDoor, except: ['the strict mode; the client half: src/client/http'] },
  c50: wire,
  c52: { ...processes, except: ['on Windows itself: no machine here; cross-spawn builds the command line there'] },
  c53: processes,
  d01: { ...asking, except: ['the daemon, pass-through under other names, scripts: issues 5 and 7'] },
  d02: asking,
  d03: { ...asking, except: ['the 2026 half: issue 5'] },
  d04: {
    runs: 'callers.test.ts',
    except: ['one shared connection: callers who can be asked never share one over stdio (design.md section 4b)'],
  },
  d05: asking,
  d06: asking,
  d07: asking,
  d08: asking,
  d12: asking,
  d14: rounds,
  d15: rounds,
  d16: rounds,
  d18: asking,
  e01: oauth,
  e02: oauth,
  e03: oauth,
  e04: oauth,
  e08: oauth,
  e09: oauth,
  e10: oauth,
  e11: oauth,
  e12: oauth,
  e14: httpDoor,
  e15: oauth,
  f02: release,
  f03: release,
  f04: release,
  f05: release,
  f08: release,
  f10: config,
  f11: config,
  f12: { ...config, except: ['hot reload keeps the last good file: the daemon of issue 7'] },
  f13: config,
  f14: config,
  f15: config,
  f18: later(7, 'doctor lists every file looked at; `servers` beside `mcpServers` is read already (config.test.ts)'),
  f19: later(7, 'types'),
  f20: later(7, 'types'),
  g04: { ...httpDoor, except: ['5,000 clients for ten minutes: npm run soak is the place for it'] },
  g05: httpDoor,
  g06: later(7, 'search mode and doorward tokens'),
  g07: trouble,
  g08: { ...wire, except: ['resident memory: measured by npm run bench'] },
  g09: { ...call, except: ['workerd: the Workers entry, issue 5', 'generated types: issue 7'] },
  g10: { ...trouble, except: ['listen streams and sessions: HTTP, issue 5'] },
  g12: { runs: 'days.test.ts', except: ['descriptors and real children: npm run soak'] },
};
